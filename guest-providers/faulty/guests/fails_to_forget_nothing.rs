//! Takes it for an error that there is nothing to forget.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn forget(sample: &SampleHelper, host: &str) -> Result<(), Error> {
        if !sample.bucket.exists(host)? {
            return Err(Error::Failure("there is nothing to forget".to_owned()));
        }
        Ok(sample.bucket.delete(host)?)
    }
}
