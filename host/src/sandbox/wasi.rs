//! WASI, shut: for guests whose language cannot do without it. No files, no
//! network, no environment, no arguments; standard streams go nowhere; clocks
//! and random numbers work.

use wasmtime::component::Linker;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::state::State;

/// The context of a guest that imports WASI.
pub(crate) struct ShutWasi(WasiCtx);

impl ShutWasi {
    pub(crate) fn new() -> Self {
        // The builder's defaults deny: nothing is inherited or opened here.
        Self(
            WasiCtxBuilder::new()
                .allow_tcp(false)
                .allow_udp(false)
                .build(),
        )
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(ShutWasi::new);
        WasiCtxView {
            ctx: &mut wasi.0,
            table: &mut self.table,
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
    wasmtime_wasi::p2::add_to_linker_sync(linker)
}
