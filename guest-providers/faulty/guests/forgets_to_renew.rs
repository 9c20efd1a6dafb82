//! Forgets its own notes at a renewal.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, lease};
use keyhost_guest::ephemeral_resource::{Error, Lease};

faulty_ephemeral! {
    fn renew(sample: &SampleEphemeral, private: &[u8]) -> Result<Lease, Error> {
        let (_, end) = sample.end_of(private)?;
        Ok(lease("", end))
    }
}
