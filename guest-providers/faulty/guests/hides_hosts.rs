//! Lists no host.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn hosts(_: &SampleHelper) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}
