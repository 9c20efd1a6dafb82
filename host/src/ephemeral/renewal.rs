//! When to renew. Wall clocks jump, laptops sleep, machines are late: a lease is
//! due when the wall clock says so, or when as much time has passed.

use std::time::{Duration, Instant};

/// The part of a lease's time that is left when it is renewed: a tenth.
const MARGIN_PART: u64 = 10;

/// The most of that, in seconds.
const LONGEST_MARGIN: u64 = 60;

/// The least time between two renewals, in seconds: a component that names the
/// past is asked again, but not without end.
const LEAST_PAUSE: u64 = 1;

/// How long after a renewal that failed the next one is tried, in seconds.
const RETRY_AFTER: u64 = 5;

/// When to renew a lease that wants to be renewed at `renew_at`, earlier by the
/// margin and never in the past. All times are in seconds since 1970.
pub fn with_margin(renew_at: u64, now: u64) -> u64 {
    let left = renew_at.saturating_sub(now);
    let margin = (left / MARGIN_PART).clamp(1, LONGEST_MARGIN);
    now.saturating_add(left.saturating_sub(margin).max(LEAST_PAUSE))
}

/// A planned renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// In seconds since 1970.
    at: u64,
    planned: Instant,
    pause: Duration,
}

impl Renewal {
    /// The renewal of a lease that wants to be renewed at `renew_at`, both times
    /// in seconds since 1970.
    pub fn plan(renew_at: u64, now: u64, instant: Instant) -> Self {
        Self::after(with_margin(renew_at, now).saturating_sub(now), now, instant)
    }

    /// The next try after one that failed.
    pub fn retry(now: u64, instant: Instant) -> Self {
        Self::after(RETRY_AFTER, now, instant)
    }

    fn after(seconds: u64, now: u64, planned: Instant) -> Self {
        Self {
            at: now.saturating_add(seconds),
            planned,
            pause: Duration::from_secs(seconds),
        }
    }

    /// Whether it is time: by the wall clock, which a sleep of the machine moves
    /// on, or by the time that has passed, which no clock can turn back.
    pub fn is_due(&self, now: u64, instant: Instant) -> bool {
        now >= self.at || instant.saturating_duration_since(self.planned) >= self.pause
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Renewal;

    const NOW: u64 = 1_800_000_000;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn leaves_a_margin() {
        let start = Instant::now();
        for (lease, pause) in [
            (300, 270),
            (20, 18),
            (3, 2),
            (2, 1),
            (1, 1),
            (86_400, 86_340),
        ] {
            let renewal = Renewal::plan(NOW + lease, NOW, start);
            let due = |after| renewal.is_due(NOW + after, start + seconds(after));
            assert!(!due(pause - 1), "{lease}");
            assert!(due(pause), "{lease}");
        }
    }

    #[test]
    fn the_past_is_no_busy_loop() {
        let start = Instant::now();
        for renew_at in [0, NOW - 1, NOW] {
            let renewal = Renewal::plan(renew_at, NOW, start);
            assert!(!renewal.is_due(NOW, start));
            assert!(renewal.is_due(NOW + 1, start + seconds(1)));
        }
    }

    #[test]
    fn a_clock_that_is_turned_back_does_not_stop_renewing() {
        let start = Instant::now();
        let renewal = Renewal::plan(NOW + 300, NOW, start);
        assert!(renewal.is_due(NOW - 86_400, start + seconds(270)));
    }

    #[test]
    fn a_machine_that_slept_is_late_and_renews_at_once() {
        let start = Instant::now();
        let renewal = Renewal::plan(NOW + 300, NOW, start);
        assert!(renewal.is_due(NOW + 7_200, start + seconds(1)));
        assert!(Renewal::plan(u64::MAX, NOW, start).is_due(u64::MAX, start));
    }
}
