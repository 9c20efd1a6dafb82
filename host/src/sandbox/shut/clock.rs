//! The time that guests are told.

use std::time::Duration;

use wasmtime_wasi::HostWallClock;

use crate::clock::WallClock;

/// WASI's wall clock, in whole seconds as the contract's own.
pub(super) struct Told(pub(super) WallClock);

impl HostWallClock for Told {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(self.0.seconds())
    }
}
