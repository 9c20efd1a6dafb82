//! Tells its secret in an error, reversed.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        if metadata
            .as_ref()
            .is_some_and(|text| sample::salt(text).is_err())
        {
            let mut bytes = sample::reveal(&state.key)?;
            bytes.reverse();
            return Err(keyhost_guest::Error::invalid_metadata(
                String::from_utf8_lossy(&bytes),
            ));
        }
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
