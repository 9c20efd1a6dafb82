use anyhow::Context;
use keyhost::component::{Refused, imports::Interface, source};
use keyhost::config::components::ComponentConfig;
use keyhost::config::module::own_file;
use keyhost::config::pin::pinned;
use keyhost::digest::Digest;

use crate::cli::{Global, Pin};
use crate::files::{self, Access};

/// Writes digests into the configuration, and says which changed.
pub(crate) fn run(global: &Global, command: &Pin) -> anyhow::Result<()> {
    let path = own_file(&global.config_path())?;
    let config = global.load_config()?;
    let mut digests = Vec::new();
    let mut report = String::new();
    for component in config.chosen_components(&command.components)? {
        let digest = digest(component)?;
        let change = match component.sha256 {
            None => "pinned".to_owned(),
            Some(old) if old == digest => "unchanged".to_owned(),
            Some(old) => format!("changed, was {old}"),
        };
        report.push_str(&format!("{} {digest} {change}\n", component.name));
        digests.push((component.name.clone(), digest));
    }
    let text = files::read(&path)?;
    let text = std::str::from_utf8(&text).context("the configuration is not UTF-8")?;
    let new = pinned(text, &path, &digests)?;
    if new != text {
        files::replace(&path, new.as_bytes(), Access::Kept(0o600))?;
    }
    files::print(report.as_bytes())
}

/// Only what is a component of ours is worth a pin.
fn digest(component: &ComponentConfig) -> Result<Digest, Refused> {
    let bytes = source::read(&component.path, &component.limits)?;
    let interface = Interface::of(&component.path, &bytes)?;
    let kind = interface.kind(&component.path)?;
    interface.check_imports(&component.path, component.grants, kind)?;
    Ok(Digest::of(&bytes))
}
