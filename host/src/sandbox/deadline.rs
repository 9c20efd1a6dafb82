//! The wall clock: an epoch deadline that looks at the time spent in the guest.

use wasmtime::{Store, UpdateDeadline};

use super::state::State;
use crate::engine::TICK;
use crate::limits::Limit;

/// Stops the guest once it has used up its time. Time that the host spent on
/// key derivation is handed back.
pub(crate) fn set(store: &mut Store<State>) {
    store.set_epoch_deadline(ticks(store.data()));
    store.epoch_deadline_callback(|context| {
        let state = context.data();
        if state.meter.remaining_time().is_zero() {
            let exceeded = state.meter.exceeded_without_value(Limit::Deadline);
            return Err(exceeded.into());
        }
        Ok(UpdateDeadline::Continue(ticks(state)))
    });
}

fn ticks(state: &State) -> u64 {
    let ticks = state.meter.remaining_time().as_millis() / TICK.as_millis();
    u64::try_from(ticks)
        .unwrap_or(u64::MAX / 2)
        .saturating_add(1)
}
