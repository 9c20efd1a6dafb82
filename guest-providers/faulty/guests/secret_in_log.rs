//! Writes its secret into the log.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let bytes = sample::reveal(&state.key)?;
        keyhost_guest::log::write(
            keyhost_guest::log::Level::Debug,
            &String::from_utf8_lossy(&bytes),
        );
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
