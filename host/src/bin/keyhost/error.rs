//! Which exit code an error has.

use std::process::ExitCode;

use keyhost::component::Refused;
use keyhost::config::source::ConfigError;
use keyhost::credentials::CredentialsError;
use keyhost::credentials::host::InvalidHost;
use keyhost::ephemeral::EphemeralError;
use keyhost::key_provider::ProvideError;
use keyhost::key_provider::settled::SettledKeyError;
use keyhost::state::error::{AttemptError, StateError};
use keyhost_compliance::case::CaseError;
use keyhost_compliance::runner::UnknownName;

/// The usage is wrong, in a way that the parser of arguments does not see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) &'static str);

/// The arguments of a helper, told on one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongArguments(pub(crate) String);

/// A command that keyhost ran ended with a code, or told its error itself.
#[derive(Debug, thiserror::Error)]
#[error("the command ended with {0}")]
pub(crate) struct CommandEnded(pub(crate) u8);

/// A component does not hold its checks, or was refused; the report says more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotCompliant {
    /// A check failed.
    #[error("not every component holds all checks")]
    Failed,
    /// A component cannot be loaded.
    #[error("not every component can be loaded")]
    Refused,
}

/// Some of several files failed; each was told.
#[derive(Debug, thiserror::Error)]
#[error("{failed} of {all} files failed")]
pub(crate) struct SeveralFailed {
    failed: usize,
    all: usize,
    outcome: Outcome,
}

impl SeveralFailed {
    /// Failures that are all of one kind are told as that kind.
    pub(crate) fn of(errors: &[anyhow::Error], all: usize) -> Self {
        let mut outcomes = errors.iter().map(outcome);
        let first = outcomes.next().unwrap_or(Outcome::Failed);
        Self {
            failed: errors.len(),
            all,
            outcome: if outcomes.all(|outcome| outcome == first) {
                first
            } else {
                Outcome::Failed
            },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Failed = 1,
    Usage = 2,
    Configuration = 3,
    Refused = 4,
}

/// The exit code of an error, as the help documents it.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref() {
        Some(CommandEnded(code)) => ExitCode::from(*code),
        None => ExitCode::from(outcome(error) as u8),
    }
}

fn outcome(error: &anyhow::Error) -> Outcome {
    if error.is::<UsageError>()
        || error.is::<UnknownName>()
        || error.is::<WrongArguments>()
        || error.is::<InvalidHost>()
    {
        Outcome::Usage
    } else if error.is::<ConfigError>() || error.is::<CaseError>() {
        Outcome::Configuration
    } else if error.is::<Refused>() || matches!(error.downcast_ref(), Some(NotCompliant::Refused)) {
        Outcome::Refused
    } else if let Some(SeveralFailed { outcome, .. }) = error.downcast_ref() {
        *outcome
    } else if let Some(error) = error.downcast_ref() {
        of_provide(error)
    } else if let Some(error) = error.downcast_ref() {
        of_state(error)
    } else if let Some(error) = error.downcast_ref() {
        of_credentials(error)
    } else if let Some(error) = error.downcast_ref() {
        of_ephemeral(error)
    } else {
        Outcome::Failed
    }
}

fn of_provide(error: &ProvideError) -> Outcome {
    match error {
        ProvideError::Config(_) | ProvideError::DuplicateMetadataKey { .. } => {
            Outcome::Configuration
        }
        ProvideError::Refused { .. } => Outcome::Refused,
        _ => Outcome::Failed,
    }
}

fn of_ephemeral(error: &EphemeralError) -> Outcome {
    match error {
        EphemeralError::Config(_) => Outcome::Configuration,
        EphemeralError::Refused { .. } => Outcome::Refused,
        EphemeralError::Key { cause, .. } => of_settled(cause),
        _ => Outcome::Failed,
    }
}

fn of_settled(error: &SettledKeyError) -> Outcome {
    match error {
        SettledKeyError::Provide(error) => of_provide(error),
        _ => Outcome::Failed,
    }
}

fn of_credentials(error: &CredentialsError) -> Outcome {
    match error {
        CredentialsError::Config(_) => Outcome::Configuration,
        CredentialsError::Refused { .. } => Outcome::Refused,
        CredentialsError::Key { cause, .. } => of_settled(cause),
        _ => Outcome::Failed,
    }
}

/// Methods that all failed in one way are told in that way.
fn of_state(error: &StateError) -> Outcome {
    match error {
        StateError::Config(_) => Outcome::Configuration,
        StateError::Keys { cause, .. } => of_provide(cause),
        StateError::Closed { attempts, .. } => {
            let mut outcomes = attempts.iter().map(|(_, attempt)| match attempt {
                AttemptError::Keys(error) => of_provide(error),
                _ => Outcome::Failed,
            });
            let first = outcomes.next().unwrap_or(Outcome::Failed);
            if outcomes.all(|outcome| outcome == first) {
                first
            } else {
                Outcome::Failed
            }
        }
        _ => Outcome::Failed,
    }
}
