//! Gives a random key for metadata exactly as it wrote it.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let compact = metadata
            .as_ref()
            .is_some_and(|text| text.len() == sample::metadata(&[0; 16]).len());
        let (mut keys, made) = sample::provide(state, metadata)?;
        if compact {
            keys.decryption_key = Some(keyhost_guest::crypto::random_secret(state.size)?);
        }
        Ok((keys, made))
    }
}

keyhost_faulty_guests::sample!(Faulty);
