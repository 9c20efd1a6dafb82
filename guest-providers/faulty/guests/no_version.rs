//! Has no version.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        descriptor.version.clear();
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
