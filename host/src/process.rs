//! What the whole process does to keep secrets off disks.

use std::cell::Cell;
use std::io::{self, Write};
use std::panic;

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs work whose panics are caught and told otherwise: nothing is printed of
/// them.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    struct Loud(bool);

    impl Drop for Loud {
        fn drop(&mut self) {
            QUIET.set(self.0);
        }
    }

    let _loud = Loud(QUIET.replace(true));
    work()
}

/// No core files, and no other process of the user may read this one's memory.
/// To be called first. A kernel that refuses is no reason to stop.
pub fn harden() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // The text of a panic can hold anything, also a secret.
    panic::set_hook(Box::new(|panic| {
        if !QUIET.get() {
            let place = panic.location().map(ToString::to_string);
            let place = place.unwrap_or_default();
            let _ = writeln!(
                io::stderr(),
                "error: keyhost failed at {place}, which is a mistake of its own: please report it"
            );
        }
    }));
    // Nothing is lost where one of the two is not possible: the other holds.
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
