//! Host names in the form in which the protocol's clients compare them.

use std::fmt;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

/// The port that is left out.
const DEFAULT_PORT: u16 = 443;

/// A host in comparison form: lower case, punycode, `:443` left out, other
/// ports kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostName(String);

/// The text is no host that a token could be for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{}\" is no host: {reason}; it has the form example.com or example.com:8443",
    crate::guest_text::fit(text)
)]
pub struct InvalidHost {
    text: String,
    reason: &'static str,
}

impl HostName {
    /// The text that guests get.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::str::FromStr for HostName {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |reason| InvalidHost {
            text: text.to_owned(),
            reason,
        };
        let (name, port) = match text.split_once(':') {
            None => (text, None),
            Some((name, port)) => (name, Some(port)),
        };
        if name.is_empty() {
            return Err(invalid("the name is empty"));
        }
        let ascii = Uts46::new()
            .to_ascii(
                name.as_bytes(),
                AsciiDenyList::STD3,
                Hyphens::Check,
                DnsLength::VerifyAllowRootDot,
            )
            .map_err(|_| invalid("the name is not one of DNS"))?;
        let port = match port {
            None => None,
            Some(digits) => {
                Some(port_number(digits).ok_or_else(|| invalid("the port is no port"))?)
            }
        };
        Ok(Self(match port {
            None | Some(DEFAULT_PORT) => ascii.into_owned(),
            Some(port) => format!("{ascii}:{port}"),
        }))
    }
}

fn port_number(digits: &str) -> Option<u16> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|port| *port > 0);
    number.filter(|_| all_digits)
}

#[cfg(test)]
mod tests {
    use super::HostName;

    fn compared(text: &str) -> Option<String> {
        text.parse::<HostName>().ok().map(|host| host.to_string())
    }

    #[test]
    fn brings_spellings_into_comparison_form() {
        for (text, expected) in [
            ("example.com", "example.com"),
            ("Example.COM", "example.com"),
            ("example.com:443", "example.com"),
            ("example.com:8443", "example.com:8443"),
            ("example.com:08443", "example.com:8443"),
            ("example.com.", "example.com."),
            ("localhost", "localhost"),
            ("испытание.com", "xn--80akhbyknj4f.com"),
            ("ИСПЫТАНИЕ.com:8080", "xn--80akhbyknj4f.com:8080"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("ｅｘａｍｐｌｅ.com", "example.com"),
        ] {
            assert_eq!(compared(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            ":443",
            "example.com:",
            "example.com:0",
            "example.com:65536",
            "example.com:+1",
            "example.com:8443:1",
            "example.com/path",
            "https://example.com",
            "user@example.com",
            "../../etc/passwd",
            "exa mple.com",
            "example.com\n",
            "example\0.com",
            "exam_ple.com",
            "-example.com",
            "example..com",
            "[::1]",
            "[::1]:8443",
            "xn--a.com",
        ] {
            assert_eq!(compared(text), None, "{text:?}");
        }
        assert_eq!(compared(&"a".repeat(64)), None);
        assert_eq!(compared(&"a.".repeat(200)), None);
    }
}
