//! Extends a lease beyond what the configuration allows.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{MAXIMUM_LIFETIME, SampleEphemeral, id, lease};
use keyhost_guest::ephemeral_resource::{Error, Lease, now};

faulty_ephemeral! {
    fn renew(sample: &SampleEphemeral, private: &[u8]) -> Result<Lease, Error> {
        let id = id(private)?;
        if !sample.bucket.exists(&id)? {
            return Err(Error::Failure("the lease has ended".to_owned()));
        }
        Ok(lease(&id, now() + MAXIMUM_LIFETIME))
    }
}
