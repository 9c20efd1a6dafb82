//! Seals records that open for any host.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::Secret;
use keyhost_guest::credentials_helper::{Credentials, Error};

faulty_helper! {
    fn get(sample: &SampleHelper, host: &str) -> Result<Option<Secret>, Error> {
        sample.get_as(host, b"")
    }

    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        sample.store_as(host, b"", &credentials.object)
    }
}
