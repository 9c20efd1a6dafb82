//! Says that it closed, and did not.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, id};
use keyhost_guest::ephemeral_resource::Error;

faulty_ephemeral! {
    fn close(_: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        id(private).map(drop)
    }
}
