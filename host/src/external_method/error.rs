//! Why a program did not encrypt or decrypt, fit to be shown.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::guest_text::{self, Redactions};
use crate::secret::Secret;

/// A program did not encrypt or decrypt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalMethodError {
    /// There is no program to run.
    #[error("the command is empty")]
    NoCommand,
    /// It does not start.
    #[error("the program {program} cannot be run: {cause}")]
    Start {
        /// The program, without arguments.
        program: String,
        /// Why.
        cause: io::Error,
    },
    /// The pipes to it failed.
    #[error("nothing can be said to the program {program}, or heard from it: {cause}")]
    Pipe {
        /// The program.
        program: String,
        /// Why.
        cause: io::Error,
    },
    /// It failed, and said so.
    #[error("the program {program} failed with {status}{}", said(stderr))]
    Failed {
        /// The program.
        program: String,
        /// Its exit status.
        status: String,
        /// What it wrote to standard error, bounded and without secrets.
        stderr: String,
    },
    /// It took too long, and was stopped.
    #[error(
        "the program {program} was stopped after {} seconds{}",
        limit.as_secs(),
        said(stderr)
    )]
    TimeLimit {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
        /// What it wrote to standard error, bounded and without secrets.
        stderr: String,
    },
    /// It wrote more than is reasonable, and was stopped.
    #[error("the program {program} was stopped, since it answered more than {maximum} bytes")]
    TooLong {
        /// The program.
        program: String,
        /// The limit, in bytes.
        maximum: usize,
    },
    /// It does not speak the protocol.
    #[error(
        "the program {program} does not speak OpenTofu's external method protocol: {breach}{}",
        said(stderr)
    )]
    Protocol {
        /// The program.
        program: String,
        /// What is wrong with what it wrote to standard output.
        breach: &'static str,
        /// What it wrote to standard error, bounded and without secrets.
        stderr: String,
    },
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; it said: {stderr}")
    }
}

/// What every error tells.
pub(super) struct Failure {
    program: String,
    pub(super) redactions: Redactions,
    pub(super) stderr: String,
}

impl Failure {
    pub(super) fn new(program: &str, key: Option<&Secret>) -> Self {
        let mut redactions = Redactions::default();
        if let Some(key) = key {
            redactions.remember(key);
        }
        Self {
            program: guest_text::fit(program),
            redactions,
            stderr: String::new(),
        }
    }

    pub(super) fn start(&self, cause: io::Error) -> ExternalMethodError {
        ExternalMethodError::Start {
            program: self.program.clone(),
            cause,
        }
    }

    pub(super) fn pipe(&self, cause: io::Error) -> ExternalMethodError {
        ExternalMethodError::Pipe {
            program: self.program.clone(),
            cause,
        }
    }

    pub(super) fn time_limit(&self, limit: Duration) -> ExternalMethodError {
        ExternalMethodError::TimeLimit {
            program: self.program.clone(),
            limit,
            stderr: self.stderr.clone(),
        }
    }

    pub(super) fn too_long(&self, maximum: usize) -> ExternalMethodError {
        ExternalMethodError::TooLong {
            program: self.program.clone(),
            maximum,
        }
    }

    pub(super) fn protocol(&self, breach: &'static str) -> ExternalMethodError {
        ExternalMethodError::Protocol {
            program: self.program.clone(),
            breach,
            stderr: self.stderr.clone(),
        }
    }

    pub(super) fn failed(&self, status: ExitStatus) -> ExternalMethodError {
        ExternalMethodError::Failed {
            program: self.program.clone(),
            status: status.to_string(),
            stderr: self.stderr.clone(),
        }
    }
}
