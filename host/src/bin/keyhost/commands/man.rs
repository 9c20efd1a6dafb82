use clap::CommandFactory;

use crate::cli::Cli;
use crate::files;

/// Prints the manual page: the program's, then each command's.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut program = Cli::command();
    program.build();
    clap_mangen::Man::new(program.clone()).render(&mut page)?;
    let commands = program
        .get_subcommands()
        .filter(|command| command.get_name() != "help");
    for command in commands {
        clap_mangen::Man::new(command.clone()).render(&mut page)?;
    }
    files::print(&page)
}
