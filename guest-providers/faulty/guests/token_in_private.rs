//! Keeps the token in its notes.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, id, lease, opened};
use keyhost_guest::ephemeral_resource::{Error, Lease, Opened};

faulty_ephemeral! {
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        let token = sample.token()?;
        let begun = sample.begin()?;
        let private = [begun.private, token.reveal().unwrap_or_default()].concat();
        opened("lease", token, Lease { private, ..begun })
    }

    fn renew(sample: &SampleEphemeral, private: &[u8]) -> Result<Lease, Error> {
        let (id, end) = sample.end_of(name(private))?;
        Ok(lease(&id, end))
    }

    fn close(sample: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        Ok(sample.bucket.delete(&id(name(private))?)?)
    }
}

fn name(private: &[u8]) -> &[u8] {
    match private.len() {
        48 => &private[..16],
        _ => private,
    }
}
