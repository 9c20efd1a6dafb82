//! What a call has used of its limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::ResourceLimiter;

use crate::limits::{Limit, LimitExceeded, Limits};

/// A table element is a pointer.
const TABLE_ELEMENT_SIZE: u64 = 8;

/// Counts what one call uses, and remembers the first limit that it met.
pub(crate) struct Meter {
    limits: Arc<Limits>,
    used: [u64; Limit::ALL.len()],
    started: Instant,
    host_time: Duration,
    exceeded: Option<LimitExceeded>,
}

impl Meter {
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        Self {
            limits,
            used: [0; Limit::ALL.len()],
            started: Instant::now(),
            host_time: Duration::ZERO,
            exceeded: None,
        }
    }

    /// Adds to what is used, or refuses and adds nothing.
    pub(crate) fn spend(&mut self, limit: Limit, amount: u64) -> Result<(), LimitExceeded> {
        let total = self.used[limit as usize].saturating_add(amount);
        self.check(limit, total)?;
        self.used[limit as usize] = total;
        Ok(())
    }

    /// Refuses a single value above a limit.
    pub(crate) fn check(&mut self, limit: Limit, value: u64) -> Result<(), LimitExceeded> {
        let result = self.limits.check(limit, value);
        if let Err(exceeded) = &result {
            self.exceeded.get_or_insert(exceeded.clone());
        }
        result
    }

    /// What is used of a limit.
    pub(crate) fn used(&self, limit: Limit) -> u64 {
        self.used[limit as usize]
    }

    /// The value of a limit.
    pub(crate) fn maximum(&self, limit: Limit) -> u64 {
        self.limits.get(limit)
    }

    /// The first limit that was met.
    pub(crate) fn exceeded(&self) -> Option<&LimitExceeded> {
        self.exceeded.as_ref()
    }

    pub(crate) fn exceeded_without_value(&self, limit: Limit) -> LimitExceeded {
        LimitExceeded {
            limit,
            maximum: self.limits.get(limit),
            wanted: None,
        }
    }

    /// Runs work of the host that does not count as the guest's time.
    pub(crate) fn outside_guest_time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        self.host_time += started.elapsed();
        result
    }

    /// What is left of the guest's time.
    pub(crate) fn remaining_time(&self) -> Duration {
        let guest_time = self.started.elapsed().saturating_sub(self.host_time);
        self.limits.deadline().saturating_sub(guest_time)
    }

    /// Counts growth; a start counts as growth from nothing.
    fn grow(&mut self, current: usize, desired: usize, size: u64) -> wasmtime::Result<bool> {
        let growth = (desired.saturating_sub(current) as u64).saturating_mul(size);
        self.spend(Limit::Memory, growth)?;
        Ok(true)
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.grow(current, desired, 1)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.grow(current, desired, TABLE_ELEMENT_SIZE)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wasmtime::ResourceLimiter;

    use super::{Limit, Limits, Meter};

    #[test]
    fn memories_and_tables_count_together() {
        let mut limits = Limits::default();
        limits.set(Limit::Memory, 100_000);
        let mut meter = Meter::new(Arc::new(limits));
        assert!(meter.memory_growing(0, 65_536, None).is_ok());
        assert!(meter.table_growing(0, 1_000, None).is_ok());
        assert!(meter.memory_growing(0, 65_536, None).is_err());
        assert_eq!(
            meter.exceeded().map(|exceeded| exceeded.limit),
            Some(Limit::Memory)
        );
    }

    #[test]
    fn what_was_refused_is_not_spent() {
        let mut meter = Meter::new(Arc::default());
        assert!(meter.spend(Limit::KeyDerivation, 20_000_000).is_err());
        assert!(meter.spend(Limit::KeyDerivation, 10_000_000).is_ok());
        assert!(meter.spend(Limit::KeyDerivation, 1).is_err());
    }
}
