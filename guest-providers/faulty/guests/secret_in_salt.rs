//! Hides its secret in the metadata, in hexadecimal.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let (keys, made) = sample::provide(state, metadata)?;
        let hidden = sample::metadata(&sample::reveal(&state.key)?).replace("salt", "pepper");
        let made = made.unwrap_or_default();
        let made = format!(
            "{},{}",
            made.trim_end_matches('}'),
            hidden.trim_start_matches('{')
        );
        Ok((keys, Some(made)))
    }
}

keyhost_faulty_guests::sample!(Faulty);
