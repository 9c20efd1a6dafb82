use anyhow::Context;
use keyhost::componentize::{Options, Wasi, componentize};

use crate::cli::{Componentize, WasiChoice};
use crate::files::{self, Access};

/// Turns a core module into a component.
pub(crate) fn run(command: &Componentize) -> anyhow::Result<()> {
    let module = files::read(&command.module)?;
    let options = Options {
        kind: command.kind.map(Into::into),
        wasi: match command.wasi {
            WasiChoice::Shut => Wasi::Shut,
            WasiChoice::Stub => Wasi::Stubbed,
        },
    };
    let component = componentize(&module, &options)
        .with_context(|| format!("{} does not become a component", command.module.display()))?;
    files::replace(&command.output, &component, Access::Kept(0o644))
}
