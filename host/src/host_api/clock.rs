//! The interface `clock`.

use crate::bindings::imports::keyhost::plugin::clock::Host;
use crate::sandbox::state::State;

impl Host for State {
    fn now(&mut self) -> wasmtime::Result<u64> {
        self.count_call()?;
        Ok(self.clock.seconds())
    }
}
