//! Logs the token.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, opened};
use keyhost_guest::ephemeral_resource::{Error, Opened};
use keyhost_guest::log::{Level, write};

faulty_ephemeral! {
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        let token = sample.token()?;
        let text = String::from_utf8(token.reveal().unwrap_or_default()).unwrap_or_default();
        write(Level::Info, &format!("made {text}"));
        opened("lease", token, sample.begin()?)
    }
}
