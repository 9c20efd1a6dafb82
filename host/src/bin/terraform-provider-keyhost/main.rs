//! The Terraform plugin: ephemeral resources backed by keyhost's components.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::ConfigError;
use keyhost::terraform::{PROVIDER, Provider};
use keyhost_terraform_plugin::{Options, is_plugin_start, serve};

/// The configuration in the working directory, where `KEYHOST_CONFIG` does not
/// say otherwise.
const DEFAULT_CONFIG: &str = "keyhost.hcl";

fn main() -> ExitCode {
    keyhost::process::harden();
    if !is_plugin_start() {
        say(
            "error: this program is a plugin that terraform starts; `keyhost terraform dev-overrides` prints how terraform finds it",
        );
        return ExitCode::FAILURE;
    }
    let mut options = Options::new(PROVIDER);
    options.log = Box::new(|line| say(&format!("warning: {line}")));
    match serve(Arc::new(Provider::new(config())), options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn config() -> Result<Config, ConfigError> {
    let path = env::var_os("KEYHOST_CONFIG").filter(|path| !path.is_empty());
    let path = path.map_or_else(|| PathBuf::from(DEFAULT_CONFIG), PathBuf::from);
    Config::load(&path, &Inputs::from_environment(env::vars_os())?)
}

/// Terraform keeps standard error in its own log.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
