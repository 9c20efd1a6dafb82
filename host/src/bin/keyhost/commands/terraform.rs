//! What people need to use the Terraform plugin.

use std::env;

use anyhow::{Context, ensure};
use keyhost::ephemeral::EphemeralResources;
use keyhost::terraform::reference;

use crate::cli::{Global, Terraform};
use crate::files;

/// The plugin, beside keyhost.
const PLUGIN: &str = "terraform-provider-keyhost";

pub(crate) fn run(global: &Global, command: &Terraform) -> anyhow::Result<()> {
    match command {
        Terraform::DevOverrides => dev_overrides(),
        Terraform::Docs => docs(global),
    }
}

fn dev_overrides() -> anyhow::Result<()> {
    let program = env::current_exe()?.canonicalize()?;
    let directory = program.parent().context("keyhost has no directory")?;
    ensure!(
        directory.join(PLUGIN).exists(),
        "{PLUGIN} is not beside {}: put it there",
        program.display()
    );
    let directory = directory
        .display()
        .to_string()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    files::print(
        format!(
            "# Into ~/.terraformrc:\nprovider_installation {{\n  dev_overrides {{\n    \"local/keyhost\" = \"{directory}\"\n  }}\n  direct {{}}\n}}\n\n# Into the module:\nterraform {{\n  required_providers {{\n    keyhost = {{\n      source = \"local/keyhost\"\n    }}\n  }}\n}}\n"
        )
        .as_bytes(),
    )
}

fn docs(global: &Global) -> anyhow::Result<()> {
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let resources = EphemeralResources::new(&config, providers, global.storage(&config)?);
    files::print(reference(&resources)?.as_bytes())
}
