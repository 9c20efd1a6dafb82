//! Describes itself anew each time.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        let mut descriptor = sample::descriptor();
        let random = keyhost_guest::crypto::random_bytes(8).unwrap_or_default();
        descriptor.version = format!(
            "1.0.{}",
            u64::from_le_bytes(random.try_into().unwrap_or_default())
        );
        descriptor
    }
}

keyhost_faulty_guests::sample!(Faulty);
