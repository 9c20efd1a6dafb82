//! Takes its notes for its own, whatever they are.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::SampleEphemeral;
use keyhost_guest::ephemeral_resource::Error;

faulty_ephemeral! {
    fn close(sample: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        let id = std::str::from_utf8(&private[..16]).expect("a name");
        Ok(sample.bucket.delete(id)?)
    }
}
