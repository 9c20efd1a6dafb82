use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::files;

/// Prints a shell's completions.
pub(crate) fn run(command: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Cli::command(), "keyhost", &mut script);
    files::print(&script)
}
