//! Says that it forgot, and did not.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn forget(_: &SampleHelper, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
