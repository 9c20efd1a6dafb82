//! Messages to people, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use keyhost::log::{Level, LogSink};

use crate::cli::LogLevel;
use crate::log_file;

static COLOURED: AtomicBool = AtomicBool::new(false);

/// Decides whether messages are coloured.
pub(crate) fn set_color(choice: clap::ColorChoice) {
    let coloured = match choice {
        clap::ColorChoice::Always => true,
        clap::ColorChoice::Never => false,
        clap::ColorChoice::Auto => {
            std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
        }
    };
    COLOURED.store(coloured, Ordering::Relaxed);
}

/// Shows why a command ends.
pub(crate) fn error(error: &anyhow::Error) {
    say("error", "31", &format!("{error:#}"));
}

/// Shows what does not end a command.
pub(crate) fn warning(text: &str) {
    say("warning", "33", text);
}

/// Shows progress or a summary.
pub(crate) fn note(text: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn say(kind: &str, colour: &str, text: &str) {
    log_file::append(&format!("{kind}: {text}"));
    if COLOURED.load(Ordering::Relaxed) {
        note(&format!("\u{1b}[1;{colour}m{kind}:\u{1b}[0m {text}"));
    } else {
        note(&format!("{kind}: {text}"));
    }
}

/// Shows components' messages.
pub(crate) struct StderrLog(pub(crate) LogLevel);

impl LogSink for StderrLog {
    fn record(&self, component: &str, level: Level, message: &str) {
        let level_shown = match level {
            Level::Debug => LogLevel::Debug,
            Level::Info => LogLevel::Info,
            Level::Warn => LogLevel::Warn,
            Level::Error => LogLevel::Error,
        };
        if level_shown >= self.0 {
            let text = format!("{level}: the component \"{component}\" says: {message}");
            log_file::append(&text);
            note(&text);
        }
    }
}
