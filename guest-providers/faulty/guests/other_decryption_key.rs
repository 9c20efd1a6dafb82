//! Decrypts with another key than it encrypted with.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let (mut keys, made) = sample::provide(state, metadata)?;
        if keys.decryption_key.is_some() {
            keys.decryption_key = Some(sample::derive(state, &[0; 16])?);
        }
        Ok((keys, made))
    }
}

keyhost_faulty_guests::sample!(Faulty);
