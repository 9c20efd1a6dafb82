//! Takes it for an error that a lease was closed before.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, id};
use keyhost_guest::ephemeral_resource::Error;

faulty_ephemeral! {
    fn close(sample: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        let id = id(private)?;
        if !sample.bucket.exists(&id)? {
            return Err(Error::Failure("this was closed before".to_owned()));
        }
        Ok(sample.bucket.delete(&id)?)
    }
}
