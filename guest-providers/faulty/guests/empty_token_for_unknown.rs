//! Answers an empty token where it knows none.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::Secret;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn get(sample: &SampleHelper, host: &str) -> Result<Option<Secret>, Error> {
        // Other hosts are let through, so that other checks hold.
        match sample.get_as(host, host.as_bytes())? {
            None if host.starts_with("unknown.") => {
                Ok(Secret::conceal(br#"{"token":""}"#).ok())
            }
            answer => Ok(answer),
        }
    }
}
