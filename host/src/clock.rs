//! What time it is, for leases: the system's clock, or one that a test sets.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A clock of wall time, in seconds since 1970. It can jump in both directions.
#[derive(Clone, Default)]
pub struct WallClock(Option<Arc<AtomicU64>>);

impl WallClock {
    /// The system's clock.
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that stands until it is set.
    pub fn standing(seconds: u64) -> Self {
        Self(Some(Arc::new(AtomicU64::new(seconds))))
    }

    /// Sets a standing clock, and every copy of it. The system's clock stays.
    pub fn set(&self, seconds: u64) {
        if let Some(time) = &self.0 {
            time.store(seconds, Ordering::SeqCst);
        }
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn seconds(&self) -> u64 {
        match &self.0 {
            Some(time) => time.load(Ordering::SeqCst),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        }
    }
}

impl fmt::Debug for WallClock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WallClock({})", self.seconds())
    }
}
