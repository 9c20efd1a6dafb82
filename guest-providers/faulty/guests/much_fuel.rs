//! Computes for a long time before it answers.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let mut state_of_nothing = 1_u64;
        for _ in 0..8_000_000_u32 {
            state_of_nothing = std::hint::black_box(state_of_nothing.wrapping_mul(3));
        }
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
