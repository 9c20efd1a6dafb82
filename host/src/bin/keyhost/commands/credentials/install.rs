//! Puts the helper where the clients look for one.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cli::{Global, Install};
use crate::files;
use crate::invocation::HELPER_PROGRAM;

/// Where Terraform and OpenTofu look, below the home directory.
const PLUGINS: &str = ".terraform.d/plugins";

pub(crate) fn run(global: &Global, helper: Option<&str>, command: &Install) -> anyhow::Result<()> {
    let directory = match &command.directory {
        Some(directory) => directory.clone(),
        None => home()?.join(PLUGINS),
    };
    let link = directory.join(HELPER_PROGRAM);
    if command.uninstall {
        return uninstall(&link);
    }
    let program = env::current_exe()
        .and_then(fs::canonicalize)
        .context("keyhost does not find its own file")?;
    let done = install(&directory, &link, &program)?;
    // Clients run the helper in any directory.
    let config = std::path::absolute(global.config_path())?;
    let mut arguments = vec![quoted(&format!("--config={}", config.display()))];
    if let Some(helper) = helper {
        arguments.push(quoted(&format!("--helper={helper}")));
    }
    files::print(
        format!(
            "{done}: {} leads to {}\n\nWrite this into ~/.terraformrc or ~/.tofurc:\n\ncredentials_helper \"keyhost\" {{\n  args = [{}]\n}}\n",
            link.display(),
            program.display(),
            arguments.join(", "),
        )
        .as_bytes(),
    )
}

fn home() -> anyhow::Result<PathBuf> {
    let home = env::var_os("HOME").filter(|home| !home.is_empty());
    home.map(PathBuf::from)
        .context("HOME is not set: pass --directory DIRECTORY")
}

fn install(directory: &Path, link: &Path, program: &Path) -> anyhow::Result<&'static str> {
    fs::create_dir_all(directory)
        .with_context(|| format!("{} cannot be made", directory.display()))?;
    let failed = || format!("{} cannot be made", link.display());
    match fs::symlink_metadata(link) {
        Err(_) => {
            symlink(program, link).with_context(failed)?;
            Ok("installed")
        }
        Ok(metadata) if !metadata.is_symlink() => bail!(
            "{} is there and no link: keyhost does not replace it",
            link.display()
        ),
        Ok(_) if fs::read_link(link).is_ok_and(|target| target == program) => {
            Ok("installed already")
        }
        Ok(_) if !leads_to_keyhost(link) => bail!(
            "{} leads to another program: keyhost does not replace it",
            link.display()
        ),
        Ok(_) => {
            // In one step: a client may look at any time.
            let new = directory.join(format!(".{HELPER_PROGRAM}.{}", std::process::id()));
            symlink(program, &new).with_context(failed)?;
            fs::rename(&new, link).with_context(failed)?;
            Ok("installed, in place of another link")
        }
    }
}

fn uninstall(link: &Path) -> anyhow::Result<()> {
    match fs::symlink_metadata(link) {
        Err(_) => files::print(format!("not installed: {}\n", link.display()).as_bytes()),
        Ok(metadata) if !metadata.is_symlink() => bail!(
            "{} is no link: keyhost did not put it there",
            link.display()
        ),
        Ok(_) if !leads_to_keyhost(link) => bail!(
            "{} leads to another program: keyhost did not put it there",
            link.display()
        ),
        Ok(_) => {
            fs::remove_file(link)
                .with_context(|| format!("{} cannot be removed", link.display()))?;
            files::print(format!("uninstalled: {} is removed\n", link.display()).as_bytes())
        }
    }
}

/// Whether a link leads to a keyhost, which need not be there any more.
fn leads_to_keyhost(link: &Path) -> bool {
    let target = fs::read_link(link).unwrap_or_default();
    let name = target.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("keyhost"))
}

/// A text in HCL.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace("${", "$${")
        .replace("%{", "%%{");
    format!("\"{escaped}\"")
}
