//! Traps where a field of the metadata is missing.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        if let Some(text) = &metadata {
            assert!(text.contains("salt"));
        }
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
