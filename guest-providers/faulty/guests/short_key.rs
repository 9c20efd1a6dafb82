//! Returns keys of half the length.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let half = State {
            key: keyhost_guest::crypto::concat(&[&state.key])?,
            size: state.size / 2,
        };
        sample::provide(&half, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
