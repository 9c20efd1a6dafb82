//! Gives the same token to everybody.

use keyhost_faulty_guests::faulty_ephemeral;
use keyhost_faulty_guests::sample_ephemeral::{SampleEphemeral, opened};
use keyhost_guest::crypto::{Encoding, HashFunction, encode, hkdf};
use keyhost_guest::ephemeral_resource::{Error, Opened};

faulty_ephemeral! {
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        let token = hkdf(&sample.key, &[], b"token", 16, HashFunction::Sha256)?;
        opened("lease", encode(&token, Encoding::Hex)?, sample.begin()?)
    }
}
