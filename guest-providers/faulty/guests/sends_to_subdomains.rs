//! Takes a host for its parent domain.

use keyhost_faulty_guests::faulty_helper;
use keyhost_faulty_guests::sample_helper::SampleHelper;
use keyhost_guest::Secret;
use keyhost_guest::credentials_helper::Error;

faulty_helper! {
    fn get(sample: &SampleHelper, host: &str) -> Result<Option<Secret>, Error> {
        let host = host.strip_prefix("www.").unwrap_or(host);
        sample.get_as(host, host.as_bytes())
    }
}
