//! Tells a wrong configuration as its own failure.

use keyhost_faulty_guests::sample::{self, Sample};
use sample::State;

struct Faulty;

impl Sample for Faulty {
    fn build(config: keyhost_guest::Config) -> Result<State, keyhost_guest::Error> {
        sample::build(config).map_err(|_| keyhost_guest::Error::KeyProviderFailure("no".to_owned()))
    }
}

keyhost_faulty_guests::sample!(Faulty);
