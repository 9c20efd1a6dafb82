//! Takes a changed record for none.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::Secret;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn get(sample: &SampleHelper, host: &str) -> Result<Option<Secret>, Error> {
        Ok(sample.get_as(host, host.as_bytes()).unwrap_or_default())
    }
}
