//! One store per call: a guest runs in it, meets its limits, and is gone.

pub(crate) mod deadline;
pub mod fault;
pub(crate) mod meter;
mod shut;
pub(crate) mod state;
pub(crate) mod wasi;

use std::sync::Arc;

use wasmtime::Store;

use crate::clock::WallClock;
use crate::component::Request;
use crate::component::kind::PluginKind;
use crate::engine::{Engine, RunningClock};
use crate::grants::Grants;
use crate::limits::{Limit, Limits};
use crate::log::LogSink;
use crate::storage::Bucket;
use fault::Fault;
use state::State;

/// The rules that one component runs under.
#[derive(Clone)]
pub(crate) struct Sandbox {
    pub(crate) engine: Engine,
    pub(crate) component: String,
    pub(crate) limits: Arc<Limits>,
    pub(crate) grants: Grants,
    /// The component's storage, where it is granted.
    pub(crate) bucket: Option<Bucket>,
    pub(crate) clock: WallClock,
    pub(crate) log: Arc<dyn LogSink>,
    /// Whether secrets are hidden in the guest's texts.
    pub(crate) redacts: bool,
}

impl Sandbox {
    pub(crate) fn new(
        engine: &Engine,
        component: &str,
        request: &Request<'_>,
        log: Arc<dyn LogSink>,
        kind: PluginKind,
    ) -> Self {
        Self {
            engine: engine.clone(),
            component: component.to_owned(),
            limits: Arc::new(request.limits.clone()),
            grants: request.grants,
            bucket: request.bucket.clone(),
            clock: match kind.tells_time() {
                true => request.clock.clone(),
                false => WallClock::standing(0),
            },
            log,
            redacts: true,
        }
    }

    /// Runs `call` in a fresh store.
    pub(crate) fn run<T, E>(
        &self,
        call: impl FnOnce(&mut Store<State>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Fault>,
    {
        let _clock: RunningClock<'_> = self
            .engine
            .run_clock()
            .map_err(|error| Fault::internal(&error.into()))?;
        let mut store = Store::new(self.engine.wasmtime(), State::new(self));
        store.limiter(|state| &mut state.meter);
        store
            .set_fuel(self.limits.get(Limit::Fuel))
            .map_err(|error| Fault::internal(&error))?;
        deadline::set(&mut store);
        let result = call(&mut store);
        store.data_mut().record_output();
        let result = result?;
        // A guest that waits in the host meets no deadline unless it goes on.
        let meter = &store.data().meter;
        if meter.remaining_time().is_zero() {
            return Err(Fault::Limit(meter.exceeded_without_value(Limit::Deadline)).into());
        }
        Ok(result)
    }
}
