//! One wasmtime engine a process, and its clock.

mod clock;

use std::io;
use std::sync::Arc;

use wasmtime::{Config, Enabled, PoolingAllocationConfig, WasmBacktraceDetails};

use clock::Clock;
pub(crate) use clock::{RunningClock, TICK};

/// Guest stacks, in bytes. Interpreted languages need more than Rust does.
const STACK_SIZE: usize = 1 << 20;

/// From this size on, in bytes, components are compiled with optimisations:
/// they bring an interpreter along. Smaller ones leave the work to the host, and
/// are there for one call.
#[cfg(feature = "compiler")]
const WORTH_OPTIMIZING: usize = 1 << 20;

/// The engine could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("the WebAssembly engine cannot start: {0}")]
pub struct EngineError(String);

/// The compiler and the runtime of guests. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    clock: Arc<Clock>,
}

impl Engine {
    /// Sets up an engine for a few calls: deterministic fuel, epochs for
    /// deadlines, and none of the proposals that widen what a guest can do.
    ///
    /// # Errors
    /// [`EngineError`] on machines that wasmtime does not support.
    pub fn new() -> Result<Self, EngineError> {
        Self::with(&mut config())
    }

    /// The same for thousands of calls, also from several threads: memories are
    /// set aside once, which takes hundreds of gigabytes of addresses, and used
    /// again.
    ///
    /// # Errors
    /// [`EngineError`] where the addresses are not to be had.
    pub fn pooling() -> Result<Self, EngineError> {
        let mut config = config();
        config.allocation_strategy(pool());
        Self::with(&mut config)
    }

    fn with(config: &mut Config) -> Result<Self, EngineError> {
        #[cfg(feature = "compiler")]
        config.enable_compiler(false);
        let wasmtime =
            wasmtime::Engine::new(config).map_err(|error| EngineError(error.to_string()))?;
        let clock = Arc::new(Clock::default());
        Ok(Self { wasmtime, clock })
    }

    /// Compiles a component to native code for this processor.
    #[cfg(feature = "compiler")]
    pub(crate) fn precompile(wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
        let mut config = config();
        if wasm.len() < WORTH_OPTIMIZING {
            config.cranelift_opt_level(wasmtime::OptLevel::None);
        }
        wasmtime::Engine::new(&config)?.precompile_component(wasm)
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// Lets the epoch advance until the result is dropped.
    pub(crate) fn run_clock(&self) -> io::Result<RunningClock<'_>> {
        self.clock.run(&self.wasmtime)
    }
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(STACK_SIZE)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        .wasm_memory64(false)
        .wasm_multi_memory(true)
        .wasm_relaxed_simd(false);
    config
}

/// How many calls can run at once on a pooling engine.
const POOL_SIZE: u32 = 64;

/// Interpreters come with tables of this many elements.
const POOLED_TABLE_ELEMENTS: usize = 1 << 17;

/// What of a memory or table is wiped and kept, in bytes, where the rest is
/// given back to the system.
const KEPT: usize = 256 << 10;

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(POOL_SIZE)
        .total_core_instances(16 * POOL_SIZE)
        .total_memories(2 * POOL_SIZE)
        .total_tables(16 * POOL_SIZE)
        .table_elements(POOLED_TABLE_ELEMENTS)
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(KEPT)
        .table_keep_resident(KEPT);
    pool
}
