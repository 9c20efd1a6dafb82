//! A command that a client waits for without a limit of its own.

use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::stderr;

/// The limit counts while this lives.
pub(crate) struct Running(#[allow(dead_code)] Sender<()>);

/// Ends the process with an error when the limit is over. What is stored is
/// stored in one step, so that an end at any point loses nothing.
pub(crate) fn start(limit: Duration, action: String) -> Running {
    let (running, ended) = mpsc::channel();
    thread::spawn(move || {
        if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            stderr::error(&anyhow::anyhow!(
                "{action} took longer than {} s; raise --time-limit if it is to take so long",
                limit.as_secs()
            ));
            process::exit(1);
        }
    });
    Running(running)
}
