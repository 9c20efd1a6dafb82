//! One wasmtime engine a process, and its clock.

use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use wasmtime::{Config, WasmBacktraceDetails};

/// How often the engine's epoch advances while guests run. Deadlines are this
/// precise.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// Guest stacks, in bytes. Interpreted languages need more than Rust does.
const STACK_SIZE: usize = 1 << 20;

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
    /// Sets up an engine: deterministic fuel, epochs for deadlines, and none
    /// of the proposals that widen what a guest can do.
    ///
    /// # Errors
    /// [`EngineError`] on machines that wasmtime does not support.
    pub fn new() -> Result<Self, EngineError> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .consume_fuel(true)
            .epoch_interruption(true)
            .max_wasm_stack(STACK_SIZE)
            .wasm_backtrace_details(WasmBacktraceDetails::Disable)
            .wasm_memory64(false)
            .wasm_multi_memory(true)
            .wasm_relaxed_simd(false);
        let wasmtime =
            wasmtime::Engine::new(&config).map_err(|error| EngineError(error.to_string()))?;
        let clock = Arc::new(Clock::default());
        Ok(Self { wasmtime, clock })
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// Lets the epoch advance until the result is dropped.
    pub(crate) fn run_clock(&self) -> RunningClock<'_> {
        let mut state = self.clock.lock();
        state.guests += 1;
        if !state.started {
            state.started = true;
            let (clock, engine) = (Arc::downgrade(&self.clock), self.wasmtime.weak());
            thread::spawn(move || tick(&clock, &engine));
        }
        self.clock.wake.notify_one();
        RunningClock(&self.clock)
    }
}

#[derive(Default)]
struct Clock {
    state: Mutex<ClockState>,
    wake: Condvar,
}

#[derive(Default)]
struct ClockState {
    guests: usize,
    started: bool,
}

impl Clock {
    fn lock(&self) -> std::sync::MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The epoch advances while this lives.
pub(crate) struct RunningClock<'a>(&'a Clock);

impl Drop for RunningClock<'_> {
    fn drop(&mut self) {
        self.0.lock().guests -= 1;
    }
}

/// How long an idle clock waits before it looks whether its engine still lives.
const IDLE_WAIT: Duration = Duration::from_secs(1);

fn tick(clock: &Weak<Clock>, engine: &wasmtime::EngineWeak) {
    loop {
        let Some(clock) = clock.upgrade() else { return };
        if clock.lock().guests == 0 {
            let state = clock.lock();
            drop(
                clock
                    .wake
                    .wait_timeout_while(state, IDLE_WAIT, |state| state.guests == 0),
            );
            continue;
        }
        drop(clock);
        thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else {
            return;
        };
        engine.increment_epoch();
    }
}
