//! Says that it stored what it does not understand, and did not.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::{Credentials, Error};

faulty_helper! {
    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        if credentials.properties != ["token"] {
            return Ok(());
        }
        sample.store_as(host, host.as_bytes(), &credentials.object)
    }
}
