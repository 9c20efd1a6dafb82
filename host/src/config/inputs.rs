//! What a configuration takes from outside its files: variables' values, and
//! more encryption.

use std::ffi::OsString;
use std::path::PathBuf;

use super::environment;
use super::source::ConfigError;
use crate::guest_text;
use crate::secret::Secret;

/// The prefixes of environment variables, later ones winning.
const PREFIXES: [&str; 2] = ["TF_VAR_", "KEYHOST_VAR_"];

/// What comes from outside the configuration's files.
#[derive(Clone, Default)]
pub struct Inputs {
    /// `TF_VAR_name` and `KEYHOST_VAR_name`, names without prefix, later ones
    /// winning.
    pub environment: Vec<(String, String)>,
    /// Files of values, in HCL or JSON, later ones winning.
    pub files: Vec<PathBuf>,
    /// Single values, later ones winning.
    pub values: Vec<(String, String)>,
    /// `TF_ENCRYPTION`: an `encryption` block, or its inside, in HCL or JSON. It
    /// is merged over the configuration's own.
    pub encryption: Option<Secret>,
}

impl std::fmt::Debug for Inputs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Inputs(…)")
    }
}

impl Inputs {
    /// Takes what concerns configurations from an environment.
    ///
    /// # Errors
    /// [`ConfigError`] where a value of it is not UTF-8: without it, the
    /// configuration would say something else.
    pub fn from_environment(
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let mut pairs = Vec::new();
        for (name, value) in environment {
            // No configuration can name what is not UTF-8.
            let Ok(name) = name.into_string() else {
                continue;
            };
            let is_read = name == environment::VARIABLE
                || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            if !is_read {
                continue;
            }
            match value.into_string() {
                Ok(value) => pairs.push((name, value)),
                Err(_) => {
                    return Err(ConfigError::new(format!(
                        "the environment variable {} is not UTF-8: correct it, or unset it",
                        guest_text::fit(&name)
                    )));
                }
            }
        }
        let of_prefix = |prefix: &'static str| {
            pairs.iter().filter_map(move |(name, value)| {
                Some((name.strip_prefix(prefix)?.to_owned(), value.clone()))
            })
        };
        let encryption = pairs
            .iter()
            .find(|(name, _)| name == environment::VARIABLE)
            .map(|(_, text)| Secret::from(text.clone()));
        Ok(Self {
            encryption,
            environment: PREFIXES.into_iter().flat_map(of_prefix).collect(),
            ..Self::default()
        })
    }

    /// The text of `TF_ENCRYPTION`, where it says something.
    pub(super) fn encryption(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.encryption.as_ref()?.expose()).ok()?;
        (!text.trim().is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::Inputs;

    fn taken(name: &str, value: &[u8]) -> Result<Inputs, String> {
        let pair = (name.into(), OsString::from_vec(value.to_vec()));
        Inputs::from_environment([pair]).map_err(|error| error.to_string())
    }

    #[test]
    fn values_that_are_no_text_are_refused_and_not_shown() {
        for name in [
            "TF_ENCRYPTION",
            "TF_VAR_passphrase",
            "KEYHOST_VAR_passphrase",
        ] {
            let error = taken(name, b"geheim\xf6").expect_err(name);
            assert!(error.contains(name), "{error}");
            assert!(!error.contains("geheim"), "{error}");
            assert!(taken(name, "geheimö".as_bytes()).is_ok());
        }
        assert!(taken("PATH", b"/b\xf6n").is_ok());
        let inputs = taken("TF_VAR_a", b"b").expect("text");
        assert_eq!(inputs.environment, [("a".to_owned(), "b".to_owned())]);
    }
}
