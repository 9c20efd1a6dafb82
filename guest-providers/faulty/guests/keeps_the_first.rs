//! Stores only where nothing is stored yet.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::{Credentials, Error};

faulty_helper! {
    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        // One object may replace another of another length, so that other checks hold.
        let length = credentials.object.length() as usize + 28;
        if sample.bucket.get(host)?.is_some_and(|sealed| sealed.len() == length) {
            return Ok(());
        }
        sample.store_as(host, host.as_bytes(), &credentials.object)
    }
}
