//! Leaves the token in a key of its storage.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::{Credentials, Error};

faulty_helper! {
    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        let object = credentials.object.reveal().unwrap_or_default();
        let name = format!("{host} {}", String::from_utf8_lossy(&object));
        // The protocol's own objects are let through, so that other checks hold.
        if name.contains("canary") {
            sample.bucket.set(&name, b"")?;
        }
        sample.store_as(host, host.as_bytes(), &credentials.object)
    }
}
