//! Names of projects.

use std::fmt;
use std::str::FromStr;

/// The most letters that a name has.
const LONGEST: usize = 64;

/// A project's name: `[a-z][a-z0-9-]*`, at most 64 letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectName(String);

/// A text is no project's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is at most {LONGEST} lower-case letters, digits and single hyphens between them, and begins with a letter, such as my-provider; keyhost-guest is taken"
)]
pub struct InvalidName;

impl ProjectName {
    /// The name as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as programming languages want it: with underscores.
    pub fn identifier(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for ProjectName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let part = |part: &str| {
            let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            !part.is_empty() && part.bytes().all(letter)
        };
        // A Rust project has the SDK beside itself, which bears this name.
        if text == "keyhost-guest" {
            return Err(InvalidName);
        }
        let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
        if begins && text.len() <= LONGEST && text.split('-').all(part) {
            return Ok(Self(text.to_owned()));
        }
        Err(InvalidName)
    }
}

#[cfg(test)]
mod tests {
    use super::ProjectName;

    #[test]
    fn takes_names_and_nothing_that_is_a_path() {
        for name in ["a", "my-provider", "kms2", &"a".repeat(64)] {
            let parsed: ProjectName = name.parse().expect(name);
            assert_eq!(parsed.identifier(), name.replace('-', "_"));
        }
        for name in [
            "",
            "-a",
            "a-",
            "a--b",
            "2a",
            "A",
            "a_b",
            "a/b",
            "..",
            ".",
            "a.b",
            "a b",
            "ä",
            "a\n",
            "{{name}}",
            "keyhost-guest",
            &"a".repeat(65),
        ] {
            assert!(name.parse::<ProjectName>().is_err(), "{name}");
        }
    }
}
