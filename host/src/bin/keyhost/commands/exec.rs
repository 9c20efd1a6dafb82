//! Runs a command with ephemeral values. Two processes: this one runs the
//! command, and the keeper, which nobody kills by accident, holds the leases and
//! closes them when this one is gone, however it went.

mod environment;
mod keeper;
mod signals;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

use crate::cli::{Exec, Global};
use crate::error::CommandEnded;
use environment::Values;

/// What the command's runner waits for.
enum Event {
    Signal(Signal),
    Ended(io::Result<ExitStatus>),
}

pub(crate) fn run(global: &Global, command: &Exec) -> anyhow::Result<()> {
    if command.keep {
        return keeper::run(global, &command.addresses);
    }
    // From here on no signal ends this process: the command is told, and its end
    // is waited for.
    let (events, received) = mpsc::channel();
    signals::listen(events.clone())?;
    let mut keeper = keeper::Keeper::start(global, &command.addresses)?;
    let values = keeper.values()?;
    let status = run_command(command, &values, events, &received);
    drop(values);
    let closed = keeper.end();
    let status = status?;
    closed?;
    match exit_code(status) {
        0 => Ok(()),
        code => Err(CommandEnded(code).into()),
    }
}

fn run_command(
    command: &Exec,
    values: &Values,
    events: Sender<Event>,
    received: &Receiver<Event>,
) -> anyhow::Result<ExitStatus> {
    let (program, arguments) = command.command.split_first().context("no command")?;
    let mut child = Command::new(program);
    child.args(arguments);
    environment::remove_own(&mut child);
    // The file is the command's alone: it is closed here once it runs.
    let _file = if command.file_descriptor {
        Some(values.as_file(&mut child)?)
    } else {
        values.as_variables(&command.env, &mut child)?;
        None
    };
    let child = child
        .spawn()
        .with_context(|| format!("{} cannot be run", program.to_string_lossy()))?;
    wait(child, events, received)
}

/// Waits for the command, and passes signals on to it.
fn wait(
    mut child: Child,
    events: Sender<Event>,
    received: &Receiver<Event>,
) -> anyhow::Result<ExitStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    thread::spawn(move || {
        // Nobody listens any more after an error.
        let _ = events.send(Event::Ended(child.wait()));
    });
    loop {
        match received.recv()? {
            Event::Ended(status) => return status.context("the command's end is unknown"),
            Event::Signal(signal) => {
                if let Some(pid) = pid {
                    // It may have ended a moment ago.
                    let _ = kill_process(pid, signal);
                }
            }
        }
    }
}

/// As a shell has it: 128 and the signal's number after a signal.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}
