//! A WASI in which nothing is open. No files, no network, no environment, no
//! arguments, no input; what guests print is kept for the log, capped; random
//! numbers work, and clocks tell what the component is told.

mod clock;
mod output;

use wasmtime_wasi::{WasiCtx, WasiCtxBuilder};

use super::meter::Meter;
use crate::clock::WallClock;
use crate::limits::Limit;
use crate::log::Level;
use clock::Told;
use output::Output;

/// What the host keeps for a guest that uses WASI.
pub(crate) struct Shut {
    pub(crate) context: WasiCtx,
    output: Output,
}

impl Shut {
    pub(crate) fn new(clock: &WallClock, meter: &Meter) -> Self {
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
