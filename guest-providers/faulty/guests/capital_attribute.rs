//! Declares an attribute in capitals.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        descriptor.attributes[1].name = "Other".to_owned();
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
