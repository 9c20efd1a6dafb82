//! Declares a password that is not sensitive.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        let password = keyhost_guest::attribute(
            "password",
            keyhost_guest::AttributeType::String,
            "In the clear.",
        );
        descriptor.attributes.push(password);
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
