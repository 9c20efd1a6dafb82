use keyhost::component::{self, Refused, Request};

use crate::cli::{Global, Precompile};
use crate::files;

/// Fills the compile cache, and says with what.
pub(crate) fn run(global: &Global, command: &Precompile) -> anyhow::Result<()> {
    let config = global.load_config()?;
    let cache = global.cache();
    for component in config.chosen_components(&command.components)? {
        config.require_pin(component)?;
        let request = Request {
            sha256: component.sha256,
            grants: component.grants,
            ..Request::new(&component.path, &component.limits)
        };
        let entry = component::precompile(&cache, &request).map_err(|cause: Refused| {
            anyhow::Error::from(cause).context(config.place(component))
        })?;
        files::print(format!("{} {}\n", component.name, entry.display()).as_bytes())?;
    }
    Ok(())
}
