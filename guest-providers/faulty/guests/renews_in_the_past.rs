//! Wants to be renewed at a time that has passed.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, opened};
use keyhost_guest::ephemeral_resource::{Error, Lease, Opened, now};

faulty_ephemeral! {
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        let lease = Lease {
            renew_at: Some(now()),
            ..sample.begin()?
        };
        opened("lease", sample.token()?, lease)
    }
}
