//! Where guests' log messages go.

use std::fmt;

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For authors.
    Debug,
    /// For the curious.
    Info,
    /// For everybody.
    Warn,
    /// Something went wrong.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

/// Takes messages of guests: already bounded, redacted, and on one line.
pub trait LogSink: Send + Sync {
    /// Takes one message.
    fn record(&self, component: &str, level: Level, message: &str);
}

/// Drops every message.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl LogSink for NoLog {
    fn record(&self, _: &str, _: Level, _: &str) {}
}
