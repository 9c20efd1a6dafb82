//! The leases of this process, in the order of their opening.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lease::Lease;
use super::token::LeaseId;

/// Closed leases stay: a second close must find them.
#[derive(Default)]
pub(super) struct Register {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    leases: Vec<Arc<Lease>>,
    ended: bool,
}

impl Register {
    /// From now on no lease may stay open.
    pub(super) fn end(&self) {
        self.lock().ended = true;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// The lease of that identity, which `make` makes if there is none: it may come
    /// from another process.
    pub(super) fn get_or_add(&self, id: &LeaseId, make: impl FnOnce() -> Lease) -> Arc<Lease> {
        let mut state = self.lock();
        if let Some(lease) = state.leases.iter().find(|lease| lease.id == *id) {
            return Arc::clone(lease);
        }
        let lease = Arc::new(make());
        state.leases.push(Arc::clone(&lease));
        lease
    }

    /// All leases, the newest first.
    pub(super) fn newest_first(&self) -> Vec<Arc<Lease>> {
        self.lock().leases.iter().rev().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
