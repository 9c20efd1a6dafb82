//! What commands share: the configuration, the cache, the log.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use clap::ValueEnum;
use keyhost::component::cache::Cache;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::ConfigError;
use keyhost::descriptor::is_name;
use keyhost::key_provider::KeyProviders;
use keyhost::places;
use keyhost::storage::Storage;

use crate::cli::Global;
use crate::error::UsageError;
use crate::stderr::{self, StderrLog};

/// The file that is looked for in the working directory.
const DEFAULT_CONFIG: &str = "keyhost.hcl";

impl Global {
    /// The path of the configuration.
    pub(crate) fn config_path(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| DEFAULT_CONFIG.into())
    }

    /// Has another keyhost work as this one does.
    pub(crate) fn pass_on(&self, command: &mut Command) {
        command.arg("--config").arg(self.config_path());
        for file in &self.var_file {
            command.arg("--var-file").arg(file);
        }
        for text in &self.var {
            command.arg("--var").arg(text);
        }
        if let Some(directory) = &self.cache_dir {
            command.arg("--cache-dir").arg(directory);
        }
        let level = self.log.to_possible_value();
        let level = level.map_or_else(String::new, |level| level.get_name().to_owned());
        command.arg("--log").arg(level);
        command.arg("--color").arg(self.color.to_string());
    }

    /// The configuration, with its variables.
    pub(crate) fn load_config(&self) -> anyhow::Result<Config> {
        let path = self.config_path();
        if self.config.is_none() && !path.exists() {
            return Err(ConfigError::new(format!(
                "there is no {DEFAULT_CONFIG} here: pass --config PATH or set KEYHOST_CONFIG"
            ))
            .into());
        }
        let mut inputs = Inputs::from_environment(std::env::vars_os())?;
        inputs.files.clone_from(&self.var_file);
        inputs.values = self
            .var
            .iter()
            .map(|text| variable(text))
            .collect::<Result<_, _>>()?;
        Ok(Config::load(&path, &inputs)?)
    }

    /// The configuration's key providers, with the storage of those that are
    /// granted one.
    pub(crate) fn key_providers<'a>(&self, config: &'a Config) -> anyhow::Result<KeyProviders<'a>> {
        let providers = KeyProviders::new(config, self.cache(), self.log_sink());
        Ok(providers.with_storage(self.storage(config)?))
    }

    /// Where components keep bytes. Nothing is opened before it is used.
    pub(crate) fn storage(&self, config: &Config) -> anyhow::Result<Arc<dyn Storage>> {
        Ok(config.storage().open(places::storage())?)
    }

    pub(crate) fn log_sink(&self) -> Arc<StderrLog> {
        Arc::new(StderrLog(self.log))
    }

    /// The compile cache: the directory that was asked for, or the user's.
    pub(crate) fn cache(&self) -> Cache {
        match self.cache_dir.clone().or_else(places::cache) {
            Some(directory) => Cache::new(directory, Box::new(stderr::warning)),
            None => Cache::none(),
        }
    }
}

/// Splits `NAME=VALUE`. What is wrong is not shown: it may be a secret.
fn variable(text: &str) -> Result<(String, String), UsageError> {
    let split = text.split_once('=').filter(|(name, _)| is_name(name));
    let (name, value) = split.ok_or(UsageError("-var takes NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}
