//! WASI for guests whose language cannot do without it: shut, and no way to
//! wait past the deadline.

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::clocks::WasiClocksView;
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::Host as _;
use wasmtime_wasi::{WasiCtxView, WasiView};

use super::shut::Shut;
use super::state::State;

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Self {
            wasi,
            clock,
            meter,
            table,
            ..
        } = self;
        let shut = wasi.get_or_insert_with(|| Shut::new(clock, meter));
        WasiCtxView {
            ctx: &mut shut.context,
            table,
        }
    }
}

/// Whether an import is one of those that [`add_to_linker`] provides.
pub(crate) fn provides(import: &str) -> bool {
    [
        "wasi:cli/",
        "wasi:clocks/",
        "wasi:filesystem/",
        "wasi:io/",
        "wasi:random/",
        "wasi:sockets/",
    ]
    .iter()
    .any(|package| import.starts_with(package))
}

/// Provides WASI, shut, to a component that imports it.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    bound_sleep(linker)
}

/// The interface whose waiting functions are replaced, as wasmtime-wasi names
/// it.
const MONOTONIC_CLOCK: &str = "wasi:clocks/monotonic-clock@0.2.12";

/// A guest that waits is in the host, where no epoch reaches it: it waits at
/// most until its deadline, and is stopped when it goes on.
fn bound_sleep(linker: &mut Linker<State>) -> wasmtime::Result<()> {
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
