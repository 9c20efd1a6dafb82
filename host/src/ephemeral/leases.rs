//! All open resources of one operation: renewed in time, closed once each, the
//! last first, however the operation ends.

use std::time::Instant;

use super::lease::OpenResource;
use super::renewal::Renewal;
use super::{EphemeralError, EphemeralResource};
use crate::clock::WallClock;

/// Open resources.
pub struct Leases {
    clock: WallClock,
    open: Vec<Kept>,
    /// Takes errors that nobody waits for.
    report: Box<dyn Fn(&EphemeralError) + Send>,
}

struct Kept {
    resource: OpenResource,
    renewal: Option<Renewal>,
    /// Whether the last renewal failed, which is reported once.
    failing: bool,
}

impl Leases {
    /// No open resources yet. `report` takes failed renewals, and failed closes
    /// where nobody asks for them.
    pub fn new(clock: WallClock, report: Box<dyn Fn(&EphemeralError) + Send>) -> Self {
        Self {
            clock,
            open: Vec::new(),
            report,
        }
    }

    /// Opens a resource and keeps it.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn open(&mut self, resource: EphemeralResource) -> Result<&OpenResource, EphemeralError> {
        let resource = resource.open()?;
        let renewal = self.plan(&resource);
        let position = self.open.len();
        self.open.push(Kept {
            resource,
            renewal,
            failing: false,
        });
        Ok(&self.open[position].resource)
    }

    /// Renews what is due. To be called at least every second.
    pub fn renew_due(&mut self) {
        for position in 0..self.open.len() {
            let now = self.clock.seconds();
            let due = self.open[position].renewal;
            if !due.is_some_and(|renewal| renewal.is_due(now, Instant::now())) {
                continue;
            }
            let renewed = self.open[position].resource.renew();
            let renewal = match &renewed {
                Ok(()) => self.plan(&self.open[position].resource),
                Err(_) => Some(Renewal::retry(self.clock.seconds(), Instant::now())),
            };
            let kept = &mut self.open[position];
            kept.renewal = renewal;
            let reported = std::mem::replace(&mut kept.failing, renewed.is_err());
            if let Err(error) = &renewed
                && !reported
            {
                (self.report)(error);
            }
        }
    }

    /// Closes everything, the last first, and says what failed.
    pub fn close_all(&mut self) -> Vec<EphemeralError> {
        let mut errors = Vec::new();
        while let Some(kept) = self.open.pop() {
            errors.extend(kept.resource.close().err());
        }
        errors
    }

    fn plan(&self, resource: &OpenResource) -> Option<Renewal> {
        let renew_at = resource.lease().renew_at?;
        Some(Renewal::plan(
            renew_at,
            self.clock.seconds(),
            Instant::now(),
        ))
    }
}

/// Also after a panic.
impl Drop for Leases {
    fn drop(&mut self) {
        for error in self.close_all() {
            (self.report)(&error);
        }
    }
}
