//! The interface `log`.

use crate::bindings::imports::keyhost::plugin::log::{Host, Level};
use crate::log;
use crate::sandbox::state::State;

impl Host for State {
    fn write(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.count_call()?;
        let level = match level {
            Level::Debug => log::Level::Debug,
            Level::Info => log::Level::Info,
            Level::Warn => log::Level::Warn,
            Level::Error => log::Level::Error,
        };
        Ok(self.record(level, &message)?)
    }
}
