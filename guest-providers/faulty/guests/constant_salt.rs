//! Uses the same salt at every call.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let (mut keys, _) = sample::provide(state, metadata)?;
        keys.encryption_key = sample::derive(state, &[7; 16])?;
        Ok((keys, Some(sample::metadata(&[7; 16]))))
    }
}

keyhost_faulty_guests::sample!(Faulty);
