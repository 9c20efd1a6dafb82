//! When the client is to renew.

use std::time::{Duration, SystemTime};

/// The client has no floor of its own: a time that has passed makes it call
/// thousands of times a second.
const SHORTEST_DELAY: Duration = Duration::from_secs(1);

pub(super) fn not_before_the_floor(
    renew_at: Option<SystemTime>,
    now: SystemTime,
) -> Option<SystemTime> {
    renew_at.map(|at| at.max(now + SHORTEST_DELAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_time_becomes_a_second_from_now() {
        let now = SystemTime::now();
        let soon = now + Duration::from_secs(1);
        let late = now + Duration::from_secs(60);
        assert_eq!(
            not_before_the_floor(Some(SystemTime::UNIX_EPOCH), now),
            Some(soon)
        );
        assert_eq!(not_before_the_floor(Some(late), now), Some(late));
        assert_eq!(not_before_the_floor(None, now), None);
    }
}
