//! Remembers its calls, and fails from the third on.

use std::sync::atomic::{AtomicU32, Ordering};

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

static CALLS: AtomicU32 = AtomicU32::new(0);

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        if CALLS.fetch_add(1, Ordering::Relaxed) > 1 {
            return Err(keyhost_guest::Error::invalid_metadata("too many calls"));
        }
        sample::provide(state, metadata)
    }
}

keyhost_faulty_guests::sample!(Faulty);
