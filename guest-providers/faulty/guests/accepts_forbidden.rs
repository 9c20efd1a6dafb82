//! Accepts metadata that its author calls invalid.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        sample::provide(
            state,
            metadata.map(|text| {
                text.replace(
                    "00112233445566778899aabbccddeeXX",
                    "00112233445566778899aabbccddeeff",
                )
            }),
        )
    }
}

keyhost_faulty_guests::sample!(Faulty);
