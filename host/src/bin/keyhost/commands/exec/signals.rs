//! Signals that the command is told of.

use std::sync::mpsc::Sender;
use std::thread;

use anyhow::Context;
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Signals, SignalsInfo};
use signal_hook::low_level::siginfo::Cause;

use super::Event;

const PASSED_ON: [(i32, Signal); 6] = [
    (SIGHUP, Signal::HUP),
    (SIGINT, Signal::INT),
    (SIGQUIT, Signal::QUIT),
    (SIGTERM, Signal::TERM),
    (SIGUSR1, Signal::USR1),
    (SIGUSR2, Signal::USR2),
];

/// Sends every signal to a channel, in place of what it would do. Those that a
/// key of the terminal sent reach the command by themselves.
pub(super) fn listen(events: Sender<Event>) -> anyhow::Result<()> {
    let numbers = PASSED_ON.map(|(number, _)| number);
    let mut signals =
        SignalsInfo::<WithOrigin>::new(numbers).context("signals cannot be listened for")?;
    thread::spawn(move || {
        for origin in signals.forever() {
            let known = PASSED_ON
                .iter()
                .find(|(number, _)| *number == origin.signal);
            if let Some((_, signal)) = known
                && origin.cause != Cause::Kernel
                && events.send(Event::Signal(*signal)).is_err()
            {
                return;
            }
        }
    });
    Ok(())
}

/// Lets no signal that can be caught end this process.
pub(super) fn ignore() -> anyhow::Result<()> {
    let mut signals = Signals::new(PASSED_ON.map(|(number, _)| number))
        .context("signals cannot be listened for")?;
    thread::spawn(move || signals.forever().for_each(drop));
    Ok(())
}
