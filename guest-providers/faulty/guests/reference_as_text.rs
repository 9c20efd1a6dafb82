//! Declares a reference to keys as a text.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        descriptor.attributes[1].kind = keyhost_guest::AttributeType::String;
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
