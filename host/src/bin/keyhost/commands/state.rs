//! Encrypted states and plans: what the commands share, and one file for each.

mod decrypt;
mod encrypt;
mod inspect;
mod rotate;
mod verify;

mod batch;
mod checked;
mod rewrite;
mod targets;

use crate::cli::{Global, State};

/// Runs the command that was asked for.
pub(crate) fn run(global: &Global, command: &State) -> anyhow::Result<()> {
    match command {
        State::Inspect(command) => inspect::run(command),
        State::Decrypt(command) => decrypt::run(global, command),
        State::Encrypt(command) => encrypt::run(global, command),
        State::Rotate(command) => rotate::run(global, command),
        State::Verify(command) => verify::run(global, command),
    }
}
