//! The command line of keyhost.

mod cli;
mod commands;
mod context;
mod error;
mod files;
mod stderr;
mod subject;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    keyhost::process::harden();
    let cli = cli::Cli::parse_from(cli::arguments(std::env::args_os()));
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            stderr::error(&error);
            error::exit_code(&error)
        }
    }
}
