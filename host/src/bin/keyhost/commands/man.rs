use std::io;

use clap::{Command, CommandFactory};

use crate::cli::Cli;
use crate::files;

/// Prints the manual page: the program's, then each command's.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut program = Cli::command();
    program.build();
    render(&program, &mut page)?;
    files::print(&page)
}

fn render(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(page)?;
    let below = command.get_subcommands();
    for command in below.filter(|command| command.get_name() != "help") {
        render(command, page)?;
    }
    Ok(())
}
