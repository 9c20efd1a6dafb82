//! Why a call of a plugin gave nothing.

use std::fmt;

use wasmtime::Store;

use crate::descriptor::InvalidDescriptor;
use crate::limits::LimitExceeded;
use crate::sandbox::fault::Fault;
use crate::sandbox::state::{State, StorageFailure};

/// A kind of error that a guest answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `invalid-configuration`.
    InvalidConfiguration,
    /// `invalid-metadata`, of key providers.
    InvalidMetadata,
    /// `key-provider-failure`.
    KeyProviderFailure,
    /// `unsupported`, of credentials helpers.
    Unsupported,
    /// `failure`.
    Failure,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::InvalidConfiguration => "invalid configuration",
            Self::InvalidMetadata => "invalid metadata",
            Self::KeyProviderFailure => "key provider failure",
            Self::Unsupported => "not supported",
            Self::Failure => "failure",
        })
    }
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The guest answered with an error. Its text is redacted.
    #[error("{kind}: {message}")]
    Guest {
        /// The kind.
        kind: ErrorKind,
        /// The guest's text.
        message: String,
    },
    /// The guest was stopped.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The storage failed, whatever the guest made of it.
    #[error("{0}")]
    Storage(String),
    /// Another process made a key first, with which nothing was made yet: the
    /// call can be made again.
    #[error("{0}")]
    Overtaken(String),
    /// Its answer breaks the contract.
    #[error("it broke the contract: {0}")]
    Contract(String),
    /// Its descriptor breaks the contract.
    #[error(transparent)]
    Descriptor(#[from] InvalidDescriptor),
}

impl From<LimitExceeded> for CallError {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::Fault(exceeded.into())
    }
}

/// What a guest answered with. One that met a limit, or whose storage failed,
/// may tell it in its own words; the host's count.
pub(super) fn guest_error(kind: ErrorKind, text: &str, store: &Store<State>) -> CallError {
    let state = store.data();
    if let Some(exceeded) = state.meter.exceeded() {
        return exceeded.clone().into();
    }
    if let Some(failure) = &state.storage_failure {
        return failure.clone().into();
    }
    CallError::Guest {
        kind,
        message: state.fit(text),
    }
}

/// A guest that hides that its storage failed has not done its work.
pub(super) fn unhidden_failure(store: &Store<State>) -> Result<(), CallError> {
    match &store.data().storage_failure {
        Some(failure) => Err(failure.clone().into()),
        None => Ok(()),
    }
}

impl From<StorageFailure> for CallError {
    fn from(failure: StorageFailure) -> Self {
        if failure.overtaken {
            Self::Overtaken(failure.text)
        } else {
            Self::Storage(failure.text)
        }
    }
}
