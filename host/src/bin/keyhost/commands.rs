//! One file for each command.

mod completions;
mod compliance;
mod componentize;
mod credentials;
mod exec;
mod external;
mod inspect;
mod man;
mod new;
mod pin;
#[cfg(feature = "compiler")]
mod precompile;
mod provide;
mod state;
mod terraform;

use crate::cli::{Cli, Command};
use crate::stderr;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> anyhow::Result<()> {
    let global = &cli.global;
    stderr::set_color(global.color);
    match &cli.command {
        Command::Provide(command) => provide::run(global, command),
        Command::External(command) => external::run(global, command),
        Command::Inspect(command) => inspect::run(global, command),
        Command::Pin(command) => pin::run(global, command),
        #[cfg(feature = "compiler")]
        Command::Precompile(command) => precompile::run(global, command),
        Command::State(command) => state::run(global, command),
        Command::Credentials(command) => credentials::run(global, command),
        Command::Exec(command) => exec::run(global, command),
        Command::Terraform(command) => terraform::run(global, command),
        Command::Compliance(command) => compliance::run(global, command),
        Command::New(command) => new::run(command),
        Command::Componentize(command) => componentize::run(command),
        Command::Completions(command) => completions::run(command),
        Command::Man => man::run(),
    }
}
