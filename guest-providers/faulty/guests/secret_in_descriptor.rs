//! Describes an attribute by a real secret.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        descriptor.attributes[0].description = "Such as correct horse battery staple.".to_owned();
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
