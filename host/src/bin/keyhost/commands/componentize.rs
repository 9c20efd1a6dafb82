use anyhow::Context;

use crate::cli::Componentize;
use crate::files::{self, Access};

/// Turns a core module into a component.
pub(crate) fn run(command: &Componentize) -> anyhow::Result<()> {
    let module = files::read(&command.module)?;
    let component = keyhost::componentize::componentize(&module)
        .with_context(|| format!("{} does not become a component", command.module.display()))?;
    files::replace(&command.output, &component, Access::Kept(0o644))
}
