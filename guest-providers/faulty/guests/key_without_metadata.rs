//! Returns a decryption key although there is nothing to decrypt.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let nothing = metadata.is_none();
        let (mut keys, made) = sample::provide(state, metadata)?;
        if nothing {
            keys.decryption_key = Some(sample::derive(state, &[0; 16])?);
        }
        Ok((keys, made))
    }
}

keyhost_faulty_guests::sample!(Faulty);
