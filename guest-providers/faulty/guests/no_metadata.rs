//! Keeps metadata and returns none.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let (keys, _) = sample::provide(state, metadata)?;
        Ok((keys, None))
    }
}

keyhost_faulty_guests::sample!(Faulty);
