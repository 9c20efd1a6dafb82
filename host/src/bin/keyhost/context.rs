//! What commands share: the configuration, the cache, the log.

use std::path::PathBuf;
use std::sync::Arc;

use keyhost::component::cache::Cache;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::ConfigError;
use keyhost::key_provider::KeyProviders;

use crate::cli::Global;
use crate::stderr::{self, StderrLog};

/// The file that is looked for in the working directory.
const DEFAULT_CONFIG: &str = "keyhost.hcl";

impl Global {
    /// The path of the configuration.
    pub(crate) fn config_path(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| DEFAULT_CONFIG.into())
    }

    /// The configuration, with its variables.
    pub(crate) fn load_config(&self) -> Result<Config, ConfigError> {
        let path = self.config_path();
        if self.config.is_none() && !path.exists() {
            return Err(ConfigError::new(format!(
                "there is no {DEFAULT_CONFIG} here: pass --config FILE or set KEYHOST_CONFIG"
            )));
        }
        let mut inputs = Inputs::from_environment(std::env::vars_os());
        inputs.files.clone_from(&self.var_file);
        let values = self.var.iter();
        inputs.values = values
            .map(|variable| (variable.0.clone(), variable.1.clone()))
            .collect();
        Config::load(&path, &inputs)
    }

    /// The configuration's key providers.
    pub(crate) fn key_providers<'a>(&self, config: &'a Config) -> KeyProviders<'a> {
        KeyProviders::new(config, self.cache(), self.log_sink())
    }

    pub(crate) fn log_sink(&self) -> Arc<StderrLog> {
        Arc::new(StderrLog(self.log))
    }

    /// The compile cache: the directory that was asked for, or the user's.
    pub(crate) fn cache(&self) -> Cache {
        let users = || {
            let of = |name: &str| {
                let path = PathBuf::from(std::env::var_os(name)?);
                path.is_absolute().then_some(path)
            };
            let home = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
            Some(home?.join("keyhost"))
        };
        match self.cache_dir.clone().or_else(users) {
            Some(directory) => Cache::new(directory, Box::new(stderr::warning)),
            None => Cache::none(),
        }
    }
}
