//! What a configuration takes from outside its files: variables' values, and
//! more encryption.

use std::path::PathBuf;

use crate::secret::Secret;

use super::environment;

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
    /// Takes what concerns configurations from an environment. Values that are not
    /// UTF-8 are no text, and not taken.
    pub fn from_environment(
        environment: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ) -> Self {
        let pairs: Vec<(String, String)> = environment
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let of_prefix = |prefix: &'static str| {
            pairs.iter().filter_map(move |(name, value)| {
                Some((name.strip_prefix(prefix)?.to_owned(), value.clone()))
            })
        };
        let encryption = pairs
            .iter()
            .find(|(name, _)| name == environment::VARIABLE)
            .map(|(_, text)| Secret::from(text.clone()));
        Self {
            encryption,
            environment: PREFIXES.into_iter().flat_map(of_prefix).collect(),
            ..Self::default()
        }
    }

    /// The text of `TF_ENCRYPTION`, where it says something.
    pub(super) fn encryption(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.encryption.as_ref()?.expose()).ok()?;
        (!text.trim().is_empty()).then_some(text)
    }
}
