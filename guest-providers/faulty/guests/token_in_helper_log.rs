//! Logs the token.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::{Credentials, Error};
use keyhost_guest::log::{Level, write};

faulty_helper! {
    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        let object = credentials.object.reveal().unwrap_or_default();
        write(Level::Info, &format!("storing {}", String::from_utf8_lossy(&object)));
        sample.store_as(host, host.as_bytes(), &credentials.object)
    }
}
