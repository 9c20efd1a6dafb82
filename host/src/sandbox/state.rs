//! What the host keeps for one call of a guest.

use std::sync::Arc;

use wasmtime::component::ResourceTable;

use super::Sandbox;
use super::meter::Meter;
use super::wasi::ShutWasi;
use crate::grants::Grants;
use crate::guest_text;
use crate::limits::{Limit, LimitExceeded};
use crate::log::{Level, LogSink};
use crate::secret::Secret;

/// The data of a store.
pub(crate) struct State {
    pub(crate) table: ResourceTable,
    pub(crate) meter: Meter,
    pub(crate) grants: Grants,
    pub(crate) wasi: Option<ShutWasi>,
    component: String,
    log: Arc<dyn LogSink>,
    /// Every secret of this call, to redact texts.
    secrets: Vec<Secret>,
}

impl State {
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        Self {
            table: ResourceTable::new(),
            meter: Meter::new(Arc::clone(&sandbox.limits)),
            grants: sandbox.grants,
            wasi: None,
            component: sandbox.component.clone(),
            log: Arc::clone(&sandbox.log),
            secrets: Vec::new(),
        }
    }

    /// Counts a secret against the limit and remembers it for redaction.
    pub(crate) fn admit(&mut self, secret: &Secret) -> Result<(), LimitExceeded> {
        self.meter.spend(Limit::SecretBytes, secret.len() as u64)?;
        self.secrets.push(secret.clone());
        Ok(())
    }

    /// Makes a guest's text fit to be shown.
    pub(crate) fn fit(&self, text: &str) -> String {
        guest_text::fit(text, &self.secrets)
    }

    /// Passes a guest's message on.
    pub(crate) fn record(&mut self, level: Level, message: &str) -> Result<(), LimitExceeded> {
        self.meter.spend(Limit::Log, message.len() as u64)?;
        self.log.record(&self.component, level, &self.fit(message));
        Ok(())
    }
}
