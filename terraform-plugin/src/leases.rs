//! Every lease of a run: opened, renewed, and closed exactly once.

mod lease;
mod register;
mod renewal;
mod token;

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};
use tokio::sync::{Mutex, RwLock};

use crate::calls::{fallible, within};
use crate::diagnostic::{Diagnostic, of_failure};
use crate::options::Options;
use crate::resources::EphemeralResources;
use lease::Lease;
use register::Register;

/// A value, and what the client has to know of its lease.
pub(crate) struct Opened {
    pub(crate) values: Map<String, Value>,
    pub(crate) token: Vec<u8>,
    pub(crate) renew_at: Option<SystemTime>,
}

/// What the client has to know after a renewal, be it a failed one.
pub(crate) struct Renewed {
    pub(crate) token: Vec<u8>,
    pub(crate) renew_at: Option<SystemTime>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The leases of this process. Its methods have to be run to their ends, also when
/// the client no longer waits: a lease that nobody knows of would stay open.
pub(crate) struct Leases {
    resources: Arc<dyn EphemeralResources>,
    options: Arc<Options>,
    register: Register,
    /// Shared by the opens that are running.
    opening: RwLock<()>,
    /// Whether a release has waited for them.
    releasing: Mutex<bool>,
}

impl Leases {
    pub(crate) fn new(resources: Arc<dyn EphemeralResources>, options: Arc<Options>) -> Self {
        Self {
            resources,
            options,
            register: Register::default(),
            opening: RwLock::default(),
            releasing: Mutex::default(),
        }
    }

    /// Opens a resource. `type_name` is without the provider's prefix.
    ///
    /// # Errors
    ///
    /// When there is no value, and no lease is left open.
    pub(crate) async fn open(
        &self,
        type_name: &str,
        config: Map<String, Value>,
    ) -> Result<Opened, Vec<Diagnostic>> {
        let _opening = self.opening.read().await;
        if self.register.has_ended() {
            return Err(vec![stopped()]);
        }
        // Before the open: after it, a failure would leave a lease.
        let id = token::new_id()
            .map_err(|error| vec![Diagnostic::error("Cannot open", error.to_string())])?;
        let resources = Arc::clone(&self.resources);
        let name = type_name.to_owned();
        let opened = fallible(move || resources.open(&name, &config))
            .await
            .map_err(|diagnostics| of_failure(diagnostics, "The resource was not opened"))?;
        let (values, given) = (opened.values, opened.lease);
        let token = token::encode(&id, &given.private);
        let make = || Lease::new(id, type_name, given.private);
        let lease = self.register.get_or_add(&id, make);
        if self.register.has_ended() {
            self.log_all(type_name, &self.end(&lease).await);
            return Err(vec![stopped()]);
        }
        Ok(Opened {
            values,
            token,
            renew_at: renewal::not_before_the_floor(given.renew_at, SystemTime::now()),
        })
    }

    /// Renews the lease of a token. After a failure, and once the lease is closed,
    /// there is no next renewal.
    pub(crate) async fn renew(&self, type_name: &str, token: &[u8]) -> Renewed {
        let without_next = |diagnostics, newest: Option<Vec<u8>>| Renewed {
            token: newest.unwrap_or_else(|| token.to_vec()),
            renew_at: None,
            diagnostics,
        };
        let Some(lease) = self.find(type_name, token) else {
            return without_next(vec![foreign_token()], None);
        };
        let _turn = lease.turn.lock().await;
        let Some(private) = lease.private() else {
            return without_next(Vec::new(), None);
        };
        let resources = Arc::clone(&self.resources);
        let name = type_name.to_owned();
        let renewed = fallible(move || resources.renew(&name, &private)).await;
        let renewed = match renewed {
            Ok(renewed) => renewed,
            Err(diagnostics) => {
                let failure = of_failure(diagnostics, "The lease was not renewed");
                self.log_all(type_name, &failure);
                lease.remember(&failure);
                return without_next(failure, lease.token());
            }
        };
        if !lease.replace(renewed.private) {
            let late = "A renewal ended after the close of its lease";
            self.log_all(type_name, &[Diagnostic::warning(late, "")]);
            return without_next(Vec::new(), None);
        }
        Renewed {
            token: lease.token().unwrap_or_else(|| token.to_vec()),
            renew_at: renewal::not_before_the_floor(renewed.renew_at, SystemTime::now()),
            diagnostics: Vec::new(),
        }
    }

    /// Closes the lease of a token; does nothing if it is closed.
    pub(crate) async fn close(&self, type_name: &str, token: &[u8]) -> Vec<Diagnostic> {
        match self.find(type_name, token) {
            Some(lease) => self.end(&lease).await,
            None => vec![foreign_token()],
        }
    }

    /// Closes every lease, the newest first, and lets no new one live.
    pub(crate) async fn release(&self) {
        let mut waited = self.releasing.lock().await;
        self.register.end();
        // The leases of these are the newest: they close themselves. Waited for once:
        // a process that has answered its shutdown has 2 s left.
        let limit = self.options.close_time_limit;
        if !*waited && within(limit, self.opening.write()).await.is_none() {
            self.log("The release went on without an open that still runs");
        }
        *waited = true;
        for lease in self.register.newest_first() {
            self.log_all(&lease.type_name, &self.end(&lease).await);
        }
    }

    /// Closes a lease, or waits until it is closed. Only who closes it hears of it.
    async fn end(&self, lease: &Lease) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let said = &mut diagnostics;
        let close = || async move { *said = self.close_now(lease).await };
        lease.closed.get_or_init(close).await;
        diagnostics
    }

    async fn close_now(&self, lease: &Lease) -> Vec<Diagnostic> {
        let limit = self.options.close_time_limit;
        // A renewal that hangs must not keep the lease open for ever.
        let _turn = within(limit, lease.turn.lock()).await;
        let Some(open) = lease.take() else {
            return Vec::new();
        };
        let resources = Arc::clone(&self.resources);
        let name = lease.type_name.clone();
        let close = fallible(move || resources.close(&name, &open.private));
        let mut diagnostics = open.warnings;
        match within(limit, close).await {
            Some(Ok(())) => {}
            Some(Err(failure)) => {
                diagnostics.extend(of_failure(failure, "The lease was not closed"));
            }
            None => diagnostics.push(Diagnostic::error(
                "The lease was not closed",
                format!("Closing it did not end within {limit:?}. It may still be alive."),
            )),
        }
        diagnostics
    }

    fn find(&self, type_name: &str, token: &[u8]) -> Option<Arc<Lease>> {
        let (id, private) = token::decode(token)?;
        let make = || Lease::new(id, type_name, private.to_vec());
        Some(self.register.get_or_add(&id, make))
    }

    fn log_all(&self, type_name: &str, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.log(&format!("{type_name}: {diagnostic}"));
        }
    }

    fn log(&self, line: &str) {
        (self.options.log)(line);
    }
}

fn stopped() -> Diagnostic {
    Diagnostic::error("The run is being stopped", "Nothing is opened any more.")
}

fn foreign_token() -> Diagnostic {
    Diagnostic::error(
        "Not a lease of this provider",
        "The private data of the resource is not what the provider gave.",
    )
}

#[cfg(test)]
mod tests;
