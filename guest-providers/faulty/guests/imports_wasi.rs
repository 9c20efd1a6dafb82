//! Imports WASI for a clock that it does not need.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let _ = wasip2::clocks::monotonic_clock::now();
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
