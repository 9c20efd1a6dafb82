//! What the whole process does to keep secrets off disks.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// No core files, and no other process of the user may read this one's memory.
/// To be called first. A kernel that refuses is no reason to stop.
pub fn harden() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // Nothing is lost where one of the two is not possible: the other holds.
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
