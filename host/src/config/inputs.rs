//! Where variables get their values from.

use std::path::PathBuf;

/// The prefixes of environment variables, later ones winning.
const PREFIXES: [&str; 2] = ["TF_VAR_", "KEYHOST_VAR_"];

/// Values for variables, from outside the configuration file.
#[derive(Clone, Default)]
pub struct Inputs {
    /// `TF_VAR_name` and `KEYHOST_VAR_name`, names without prefix, later ones
    /// winning.
    pub environment: Vec<(String, String)>,
    /// Files of values, in HCL or JSON, later ones winning.
    pub files: Vec<PathBuf>,
    /// Single values, later ones winning.
    pub values: Vec<(String, String)>,
}

impl std::fmt::Debug for Inputs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Inputs(…)")
    }
}

impl Inputs {
    /// Takes what concerns variables from an environment. Values that are not
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
        Self {
            environment: PREFIXES.into_iter().flat_map(of_prefix).collect(),
            ..Self::default()
        }
    }
}
