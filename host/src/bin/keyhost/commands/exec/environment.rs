//! Values on their way to the command: never in arguments or files on a disk.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsRawFd;
use std::process::Command;

use anyhow::{Context, bail};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// The variable that names the file of values.
const FILE_VARIABLE: &str = "KEYHOST_VALUES";

/// The prefix of variables that are keyhost's own, with secrets in them.
const OWN_PREFIX: &str = "KEYHOST_VAR_";

/// The values of each resource, by address.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Values(BTreeMap<String, BTreeMap<String, Zeroizing<String>>>);

/// Keeps keyhost's own variables from the command.
pub(super) fn remove_own(child: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with(OWN_PREFIX) {
            child.env_remove(name);
        }
    }
}

impl Values {
    pub(super) fn insert(&mut self, address: String, name: String, value: Zeroizing<String>) {
        self.0.entry(address).or_default().insert(name, value);
    }

    /// Sets variables: those that were asked for, or all.
    pub(super) fn as_variables(
        &self,
        wanted: &[(String, String)],
        child: &mut Command,
    ) -> anyhow::Result<()> {
        if wanted.is_empty() {
            for (address, values) in &self.0 {
                for (name, value) in values {
                    child.env(variable(address, name), OsStr::new(value.as_str()));
                }
            }
        }
        for (variable, path) in wanted {
            child.env(variable, OsStr::new(self.find(path)?.as_str()));
        }
        Ok(())
    }

    /// The value of an attribute, or of `ADDRESS.attribute`.
    fn find(&self, path: &str) -> anyhow::Result<&Zeroizing<String>> {
        let (address, name) = match path.rsplit_once('.') {
            Some((address, name)) => (Some(address), name),
            None => (None, path),
        };
        let mut found = self.0.iter().filter_map(|(other, values)| {
            let here = address.is_none_or(|address| address == other);
            here.then(|| values.get(name)).flatten()
        });
        match (found.next(), found.next()) {
            (Some(value), None) => Ok(value),
            (None, _) => bail!("there is no value {path}, only {}", self.names()),
            (Some(_), Some(_)) => bail!(
                "several resources have a value {path}: say which, as ADDRESS.{path}, of {}",
                self.names()
            ),
        }
    }

    fn names(&self) -> String {
        let each = self.0.iter().flat_map(|(address, values)| {
            values.keys().map(move |name| format!("{address}.{name}"))
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// Puts all values into a file in memory that nobody can change, as JSON,
    /// and tells the command its path.
    pub(super) fn as_file(&self, child: &mut Command) -> anyhow::Result<File> {
        // It survives the start of the command, which is the next to start.
        let file = memfd_create("keyhost-values", MemfdFlags::ALLOW_SEALING)
            .context("a file in memory cannot be made")?;
        let mut file = File::from(file);
        let text = Zeroizing::new(serde_json::to_vec(self)?);
        file.write_all(&text)?;
        file.rewind()?;
        let sealed = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, sealed).context("a file in memory cannot be sealed")?;
        child.env(FILE_VARIABLE, format!("/dev/fd/{}", file.as_raw_fd()));
        Ok(file)
    }
}

/// `ephemeral_resource.session.ci` and `token` make `CI_TOKEN`.
fn variable(address: &str, name: &str) -> String {
    let resource = address.rsplit('.').next().unwrap_or_default();
    format!("{resource}_{name}")
        .to_uppercase()
        .replace('-', "_")
}
