//! Gives no key for metadata of an older form.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let old = metadata.as_ref().is_some_and(|text| text.contains("old"));
        let (mut keys, made) = sample::provide(state, metadata)?;
        if old {
            keys.decryption_key = None;
        }
        Ok((keys, made))
    }
}

keyhost_faulty_guests::sample!(Faulty);
