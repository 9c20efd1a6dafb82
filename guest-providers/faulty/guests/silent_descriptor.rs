//! Traps when it is asked what it is.

use keyhost_faulty_guests::sample::{self, Sample};

struct Faulty;

impl Sample for Faulty {
    fn describe() -> keyhost_guest::Descriptor {
        panic!("{}", sample::descriptor().id)
    }
}

keyhost_faulty_guests::sample!(Faulty);
