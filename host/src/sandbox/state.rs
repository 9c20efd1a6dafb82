//! What the host keeps for one call of a guest.

use std::sync::Arc;

use wasmtime::component::ResourceTable;

use super::Sandbox;
use super::meter::Meter;
use super::shut::Shut;
use crate::clock::WallClock;
use crate::grants::Grants;
use crate::guest_text::Redactions;
use crate::limits::{Limit, LimitExceeded};
use crate::log::{Level, LogSink};
use crate::secret::Secret;
use crate::storage::Bucket;

/// What even an empty secret costs the host, in bytes.
const LEAST_SECRET: u64 = 64;

/// How the storage failed.
#[derive(Clone, Debug)]
pub(crate) struct StorageFailure {
    pub(crate) text: String,
    /// Whether another process was first.
    pub(crate) overtaken: bool,
}

/// The data of a store.
pub(crate) struct State {
    pub(crate) table: ResourceTable,
    pub(crate) meter: Meter,
    pub(crate) grants: Grants,
    /// The component's storage, where it is granted.
    pub(crate) bucket: Option<Bucket>,
    /// The first failure of the storage.
    pub(crate) storage_failure: Option<StorageFailure>,
    pub(crate) clock: WallClock,
    /// Whether keys are derived when they are first used.
    pub(crate) defers_derivation: bool,
    /// Made when a guest first uses WASI.
    pub(crate) wasi: Option<Shut>,
    component: String,
    log: Arc<dyn LogSink>,
    /// Absent where texts are shown as they are.
    redactions: Option<Redactions>,
}

impl State {
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        Self {
            table: ResourceTable::new(),
            meter: Meter::new(Arc::clone(&sandbox.limits)),
            grants: sandbox.grants,
            bucket: sandbox.bucket.clone(),
            storage_failure: None,
            clock: sandbox.clock.clone(),
            defers_derivation: false,
            wasi: None,
            component: sandbox.component.clone(),
            log: Arc::clone(&sandbox.log),
            redactions: sandbox.redacts.then(Redactions::default),
        }
    }

    /// Counts a secret against the limit.
    pub(crate) fn admit(&mut self, secret: &Secret) -> Result<(), LimitExceeded> {
        let amount = (secret.len() as u64).max(LEAST_SECRET);
        self.meter.spend(Limit::SecretBytes, amount)
    }

    /// Remembers a secret that the guest does not know, to redact texts.
    pub(crate) fn remember(&mut self, secret: &Secret) {
        let Some(redactions) = &mut self.redactions else {
            return;
        };
        redactions.remember(secret);
        if secret.is_deferred() {
            return;
        }
        // A token shows without the object around it.
        for text in crate::credentials::object::texts(secret.expose()) {
            redactions.remember(&text);
        }
    }

    /// Makes a guest's text fit to be shown.
    pub(crate) fn fit(&self, text: &str) -> String {
        match &self.redactions {
            Some(redactions) => redactions.fit(text),
            None => text.to_owned(),
        }
    }

    /// Passes a guest's message on.
    pub(crate) fn record(&mut self, level: Level, message: &str) -> Result<(), LimitExceeded> {
        self.meter.spend(Limit::Log, message.len() as u64)?;
        self.log.record(&self.component, level, &self.fit(message));
        Ok(())
    }

    /// Passes on what a guest printed, as far as the log has room.
    pub(crate) fn record_output(&mut self) {
        let lines = self.wasi.take().map(Shut::lines).unwrap_or_default();
        for (level, line) in lines {
            if self.record(level, &line).is_err() {
                return;
            }
        }
    }
}
