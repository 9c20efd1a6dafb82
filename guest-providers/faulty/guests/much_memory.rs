//! Takes forty megabytes for nothing.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let hoard = std::hint::black_box(vec![1_u8; 40 << 20]);
        let answer = sample::provide(state, metadata);
        drop(hoard);
        answer
    }
}

keyhost_faulty_guests::sample!(Faulty);
