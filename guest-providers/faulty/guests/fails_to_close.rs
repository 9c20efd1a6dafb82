//! Fails to close what was renewed.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, id};
use keyhost_guest::ephemeral_resource::{Error, Lease};

faulty_ephemeral! {
    fn renew(sample: &SampleEphemeral, private: &[u8]) -> Result<Lease, Error> {
        let (id, end) = sample.end_of(private)?;
        sample.bucket.set(&format!("{id}-renewed"), b"")?;
        Ok(keyhost_faulty_guests::sample_ephemeral::lease(&id, end))
    }

    fn close(sample: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        let id = id(private)?;
        if sample.bucket.exists(&format!("{id}-renewed"))? {
            return Err(Error::Failure("this was renewed".to_owned()));
        }
        Ok(sample.bucket.delete(&id)?)
    }
}
