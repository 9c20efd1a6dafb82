//! One lease, from open to closed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::token::{LeaseId, encode};
use crate::diagnostic::{Diagnostic, Severity};

pub(super) struct Lease {
    pub(super) id: LeaseId,
    /// Without the provider's prefix.
    pub(super) type_name: String,
    /// Held while it is renewed or closed.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Set at the end of its only close.
    pub(super) closed: tokio::sync::OnceCell<()>,
    /// What is left of it; nothing once its close has begun.
    open: Mutex<Option<Open>>,
}

/// What closing needs.
pub(super) struct Open {
    pub(super) private: Vec<u8>,
    /// Warnings that only the close can bring to the user.
    pub(super) warnings: Vec<Diagnostic>,
}

impl Lease {
    pub(super) fn new(id: LeaseId, type_name: &str, private: Vec<u8>) -> Self {
        let warnings = Vec::new();
        Self {
            id,
            type_name: type_name.to_owned(),
            turn: tokio::sync::Mutex::default(),
            closed: tokio::sync::OnceCell::new(),
            open: Mutex::new(Some(Open { private, warnings })),
        }
    }

    /// The newest private bytes; `None` once it is closed.
    pub(super) fn private(&self) -> Option<Vec<u8>> {
        self.lock().as_ref().map(|open| open.private.clone())
    }

    /// What the client gets to hold; `None` once it is closed.
    pub(super) fn token(&self) -> Option<Vec<u8>> {
        let open = self.lock();
        open.as_ref().map(|open| encode(&self.id, &open.private))
    }

    /// Takes newer private bytes; `false` if it was closed meanwhile.
    pub(super) fn replace(&self, private: Vec<u8>) -> bool {
        let mut open = self.lock();
        if let Some(open) = open.as_mut() {
            open.private = private;
        }
        open.is_some()
    }

    /// Remembers a failed renewal. As warnings: an error would fail a run that has
    /// done all it had to do.
    pub(super) fn remember(&self, failure: &[Diagnostic]) {
        if let Some(open) = self.lock().as_mut() {
            let warnings = failure.iter().cloned().map(|diagnostic| Diagnostic {
                severity: Severity::Warning,
                ..diagnostic
            });
            open.warnings.extend(warnings);
        }
    }

    /// Begins its close; `None` if that has begun before.
    pub(super) fn take(&self) -> Option<Open> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
