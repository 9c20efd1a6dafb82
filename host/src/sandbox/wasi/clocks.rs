//! The time that guests are told, and how long they wait.

use std::time::Duration;

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::HostWallClock;
use wasmtime_wasi::clocks::WasiClocksView;
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::Host as _;

use crate::clock::WallClock;
use crate::sandbox::state::State;

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

/// The interface whose waiting functions are replaced, as wasmtime-wasi names
/// it.
const MONOTONIC_CLOCK: &str = "wasi:clocks/monotonic-clock@0.2.12";

/// A guest that waits is in the host, where no epoch reaches it: it waits at
/// most until its deadline, and is stopped when it goes on.
pub(super) fn bound_sleep(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut clock = linker.instance(MONOTONIC_CLOCK)?;
    clock.func_wrap("subscribe-duration", |mut store, (duration,): (u64,)| {
        Ok((subscribe(store.data_mut(), duration)?,))
    })?;
    clock.func_wrap("subscribe-instant", |mut store, (instant,): (u64,)| {
        let now = store.data_mut().clocks().now()?;
        Ok((subscribe(store.data_mut(), instant.saturating_sub(now))?,))
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// A wait of some nanoseconds, at most of those that the guest has left.
fn subscribe(state: &mut State, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
    let left = u64::try_from(state.meter.remaining_time().as_nanos()).unwrap_or(u64::MAX);
    state.clocks().subscribe_duration(duration.min(left))
}
