//! The one place that knows the credentials helper's program and configuration.

use std::fs;
use std::path::{Path, PathBuf};

use crate::guests::{component, guest};

/// The variable that names the helper's log.
const LOG_FILE: &str = "KEYHOST_LOG_FILE";

/// Components are compiled once for all tests.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/terraform-cache");

/// A credentials helper, as an operator sets it up.
pub(crate) struct Helper {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl Helper {
    /// What stands after `terraform-credentials-`.
    pub(crate) const NAME: &str = "keyhost";

    /// A helper that knows no token yet and keeps its files in `directory`.
    pub(crate) fn empty(directory: &Path) -> Self {
        let config = directory.join("keyhost.hcl");
        let text = format!(
            r#"{}{}
storage "file" {{
  path = "tokens.redb"
}}
encryption {{
  key_provider "pbkdf2" "main" {{
    passphrase    = "correct-horse-battery-staple"
    iterations    = 200000
    hash_function = "sha256"
  }}
}}
credentials_helper "vault" {{
  key = key_provider.pbkdf2.main
}}
"#,
            pinned("pbkdf2", ""),
            pinned("vault", "grants { storage = true }")
        );
        fs::write(&config, text).expect("configuration");
        Self::with_configuration(&config, directory)
    }

    /// A helper that fails at every verb: its configuration does not exist.
    pub(crate) fn without_configuration(directory: &Path) -> Self {
        Self::with_configuration(&Self::missing_configuration(directory), directory)
    }

    /// The file that a failing helper names in its message.
    pub(crate) fn missing_configuration(directory: &Path) -> PathBuf {
        directory.join("missing.hcl")
    }

    pub(crate) fn log_file(directory: &Path) -> PathBuf {
        directory.join("helper.log")
    }

    fn with_configuration(config: &Path, directory: &Path) -> Self {
        let log_file = Self::log_file(directory).display().to_string();
        Self {
            program: env!("CARGO_BIN_EXE_keyhost").into(),
            args: vec![format!("--config={}", config.display())],
            env: vec![
                (LOG_FILE.to_owned(), log_file),
                ("KEYHOST_CACHE_DIR".to_owned(), CACHE.to_owned()),
            ],
        }
    }
}

fn pinned(kind: &str, grants: &str) -> String {
    component(kind, &guest(kind), grants)
}
