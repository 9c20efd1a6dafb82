//! WASI, shut: for guests whose language cannot do without it. No files, no
//! network, no environment, no arguments, no input; what they print goes to the
//! log, capped; random numbers work, and clocks tell what the component is told.

mod clocks;
mod output;

use wasmtime::component::Linker;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::meter::Meter;
use super::state::State;
use crate::clock::WallClock;
use crate::limits::Limit;
use crate::log::Level;
use clocks::Told;
use output::Output;

/// What the host keeps for a guest that uses WASI.
pub(crate) struct Shut {
    context: WasiCtx,
    output: Output,
}

impl Shut {
    fn new(clock: &WallClock, meter: &Meter) -> Self {
        let output = Output::new(meter.exceeded_without_value(Limit::Log));
        // The builder's defaults deny: nothing is inherited or opened here.
        let context = WasiCtxBuilder::new()
            .allow_tcp(false)
            .allow_udp(false)
            .wall_clock(Told(clock.clone()))
            .stdout(output.stream(Level::Debug))
            .stderr(output.stream(Level::Info))
            .build();
        Self { context, output }
    }

    /// The lines that the guest printed.
    pub(crate) fn lines(self) -> Vec<(Level, String)> {
        self.output.lines()
    }
}

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
    clocks::bound_sleep(linker)
}
