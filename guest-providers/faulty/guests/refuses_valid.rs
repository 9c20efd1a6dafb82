//! Refuses a size that it declares as valid.

use keyhost_faulty_guests::sample::{self, Sample};
use sample::State;

struct Faulty;

impl Sample for Faulty {
    fn build(config: keyhost_guest::Config) -> Result<State, keyhost_guest::Error> {
        let state = sample::build(config)?;
        if state.size == 64 {
            return Err(keyhost_guest::Error::invalid_configuration("not 64"));
        }
        Ok(state)
    }
}

keyhost_faulty_guests::sample!(Faulty);
