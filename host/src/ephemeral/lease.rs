//! An open resource, from its opening to its close.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{EphemeralError, EphemeralResource};
use crate::config::ephemeral::EphemeralAddress;
use crate::plugins::ephemeral_resource::Lease;
use crate::plugins::error::CallError;
use crate::secret::Secret;

/// How long one close may take, in seconds.
pub const CLOSE_SECONDS: u64 = 10;

/// The values of an open resource.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The plain ones.
    pub values: Map<String, Value>,
    /// The sensitive ones, UTF-8.
    pub secrets: Vec<(String, Secret)>,
}

impl Outputs {
    /// A value as text: strings as they are, all else as JSON.
    pub fn text(&self, name: &str) -> Option<Secret> {
        let secret = self.secrets.iter().find(|(other, _)| other == name);
        if let Some((_, secret)) = secret {
            return Some(secret.clone());
        }
        self.values.get(name).map(|value| match value {
            Value::String(text) => Secret::from(text.clone()),
            other => Secret::from(other.to_string()),
        })
    }

    /// The names of all values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let secrets = self.secrets.iter().map(|(name, _)| name.as_str());
        self.values.keys().map(String::as_str).chain(secrets)
    }
}

/// An open resource. To be closed, whatever happens.
pub struct OpenResource {
    resource: EphemeralResource,
    outputs: Outputs,
    lease: Lease,
}

impl OpenResource {
    pub(super) fn new(resource: EphemeralResource, outputs: Outputs, lease: Lease) -> Self {
        Self {
            resource,
            outputs,
            lease,
        }
    }

    /// Takes up a lease that another process opened.
    pub fn resumed(resource: EphemeralResource, lease: Lease) -> Self {
        Self::new(resource, Outputs::default(), lease)
    }

    /// The address.
    pub fn address(&self) -> &EphemeralAddress {
        self.resource.address()
    }

    /// The values.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The lease as it is now.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Extends the lease. Where that fails it stays what it was.
    ///
    /// # Errors
    /// [`EphemeralError::Call`].
    pub fn renew(&mut self) -> Result<(), EphemeralError> {
        let EphemeralResource {
            component,
            settings,
            ..
        } = &self.resource;
        let renewed = component.renew(settings, &self.lease.private);
        self.lease = renewed.map_err(|cause| self.failed("renew", cause))?;
        Ok(())
    }

    /// Ends the lease, within [`CLOSE_SECONDS`].
    ///
    /// # Errors
    /// [`EphemeralError`]; the lease may be open until it runs out.
    pub fn close(self) -> Result<(), EphemeralError> {
        let address = self.address().clone();
        let (done, ended) = mpsc::channel();
        let started = thread::Builder::new().spawn(move || {
            let resource = &self.resource;
            let closed = resource
                .component
                .close(&resource.settings, &self.lease.private);
            let closed = closed.map_err(|cause| self.failed("close", cause));
            // Nobody waits any more when it took too long.
            let _ = done.send(closed);
        });
        let too_long = || EphemeralError::TooLong {
            address: address.clone(),
            action: "close",
            seconds: CLOSE_SECONDS,
        };
        started.map_err(|_| too_long())?;
        ended
            .recv_timeout(Duration::from_secs(CLOSE_SECONDS))
            .unwrap_or_else(|_| Err(too_long()))
    }

    pub(super) fn failed(&self, action: &'static str, cause: CallError) -> EphemeralError {
        self.resource.failed(action, cause)
    }
}
