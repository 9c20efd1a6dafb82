//! The command line of keyhost.

mod cli;
mod commands;
mod context;
mod error;
mod files;
mod invocation;
mod log_file;
mod side_by_side;
mod stderr;
mod subject;
mod time_limit;

use std::io;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    keyhost::process::harden();
    let result = match invocation::Invocation::of(std::env::args_os()) {
        invocation::Invocation::Program(arguments) => {
            commands::run(cli::Cli::parse_from(arguments))
        }
        invocation::Invocation::Helper(arguments) => as_helper(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // What another process told is not told again.
            if !error.is::<error::CommandEnded>() {
                stderr::error(&error);
            }
            error::exit_code(&error)
        }
    }
}

/// The client hides standard error at times, and writes to standard input to
/// its end whatever is wrong with the arguments.
fn as_helper(arguments: Result<Vec<std::ffi::OsString>, error::UsageError>) -> anyhow::Result<()> {
    let refused = match arguments.map(cli::Cli::try_parse_from) {
        Ok(Ok(cli)) => return commands::run(cli),
        Ok(Err(error)) => {
            let text = error.to_string().trim().replace('\n', " ");
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            error::WrongArguments(text.to_owned()).into()
        }
        Err(error) => error.into(),
    };
    if !io::IsTerminal::is_terminal(&io::stdin()) {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    }
    Err(refused)
}
