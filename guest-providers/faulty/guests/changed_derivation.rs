//! Derives another key than it did for older data.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let old = metadata.as_ref().is_some_and(|text| text.contains("old"));
        let (mut keys, made) = sample::provide(state, metadata)?;
        if old {
            keys.decryption_key = Some(sample::derive(state, &[0; 16])?);
        }
        Ok((keys, made))
    }
}

keyhost_faulty_guests::sample!(Faulty);
