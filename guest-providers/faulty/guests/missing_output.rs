//! Gives a value under a name that it does not declare.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::SampleEphemeral;
use keyhost_guest::ephemeral_resource::{Error, Opened};

faulty_ephemeral! {
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        Ok(Opened {
            values: r#"{"name":"lease"}"#.to_owned(),
            secrets: vec![("token".to_owned(), sample.token()?)],
            lease: sample.begin()?,
        })
    }
}
