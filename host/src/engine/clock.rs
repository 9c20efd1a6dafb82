//! The engine's epoch advances while guests run, and only then.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

/// How often the epoch advances. Deadlines are this precise.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// After this many ticks without a guest, the clock rests.
const TICKS_BEFORE_REST: u32 = 20;

/// How long a resting clock waits before it looks whether its engine still
/// lives.
const REST: Duration = Duration::from_secs(1);

/// A thread that advances an engine's epoch. It starts with the first guest.
#[derive(Default)]
pub(super) struct Clock {
    guests: AtomicUsize,
    rests: AtomicBool,
    thread: OnceLock<Thread>,
    starting: Mutex<()>,
}

impl Clock {
    /// Lets the epoch advance until the result is dropped.
    pub(super) fn run(self: &Arc<Self>, engine: &wasmtime::Engine) -> io::Result<RunningClock<'_>> {
        self.guests.fetch_add(1, Ordering::SeqCst);
        let running = RunningClock(self);
        match self.thread.get() {
            Some(thread) if self.rests.load(Ordering::SeqCst) => thread.unpark(),
            Some(_) => {}
            None => self.start(engine)?,
        }
        Ok(running)
    }

    fn start(self: &Arc<Self>, engine: &wasmtime::Engine) -> io::Result<()> {
        let _one_starts = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.thread.get().is_none() {
            let (clock, engine) = (Arc::downgrade(self), engine.weak());
            let thread = thread::Builder::new().spawn(move || tick(&clock, &engine))?;
            self.thread.get_or_init(|| thread.thread().clone());
        }
        Ok(())
    }
}

/// The epoch advances while this lives.
pub(crate) struct RunningClock<'a>(&'a Clock);

impl Drop for RunningClock<'_> {
    fn drop(&mut self) {
        self.0.guests.fetch_sub(1, Ordering::SeqCst);
    }
}

fn tick(clock: &Weak<Clock>, engine: &wasmtime::EngineWeak) {
    let mut idle = 0;
    loop {
        thread::sleep(TICK);
        let (Some(clock), Some(engine)) = (clock.upgrade(), engine.upgrade()) else {
            return;
        };
        engine.increment_epoch();
        if clock.guests.load(Ordering::SeqCst) > 0 {
            idle = 0;
            continue;
        }
        idle += 1;
        if idle < TICKS_BEFORE_REST {
            continue;
        }
        // A guest that counts itself after the look below sees the flag, and
        // wakes this thread.
        clock.rests.store(true, Ordering::SeqCst);
        if clock.guests.load(Ordering::SeqCst) == 0 {
            // The engine may go meanwhile.
            drop(engine);
            let weak = Arc::downgrade(&clock);
            drop(clock);
            thread::park_timeout(REST);
            let Some(awake) = weak.upgrade() else { return };
            awake.rests.store(false, Ordering::SeqCst);
        } else {
            clock.rests.store(false, Ordering::SeqCst);
        }
    }
}
