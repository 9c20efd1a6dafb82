//! Tells metadata without its field as its own failure.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        if metadata.as_ref().is_some_and(|text| !text.contains("salt")) {
            return Err(keyhost_guest::Error::KeyProviderFailure(
                "no salt".to_owned(),
            ));
        }
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
