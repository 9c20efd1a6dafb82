//! What guests can call. Thin functions over the store's state: each counts
//! the call, checks the limits, and hands the work on.

mod clock;
mod credentials;
mod crypto;
mod keyvalue;
mod log;
mod secrets;

use wasmtime::component::{HasSelf, Linker, Resource};

use crate::bindings::imports::Imports;
use crate::limits::Limit;
use crate::sandbox::state::State;
use crate::secret::Secret;

/// Provides the contract's interfaces to a component. Which of them it may
/// import was checked before.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    Imports::add_to_linker::<_, HasSelf<_>>(linker, |state| state)
}

impl crate::bindings::imports::keyhost::plugin::config::Host for State {}

impl State {
    /// Counts one call of the guest to the host.
    fn count_call(&mut self) -> wasmtime::Result<()> {
        Ok(self.meter.spend(Limit::HostCalls, 1)?)
    }

    /// The secret behind a handle, to be used now.
    fn secret(&mut self, handle: &Resource<Secret>) -> wasmtime::Result<Secret> {
        let secret = self.secret_to_come(handle)?;
        if secret.is_deferred() {
            self.meter.outside_guest_time(|| {
                secret.expose();
            });
        }
        Ok(secret)
    }

    /// The secret behind a handle, not to be made yet where it was not.
    fn secret_to_come(&self, handle: &Resource<Secret>) -> wasmtime::Result<Secret> {
        Ok(self.table.get(handle)?.clone())
    }

    /// Makes a handle for a secret that was admitted.
    fn handle(&mut self, secret: Secret) -> wasmtime::Result<Resource<Secret>> {
        Ok(self.table.push(secret)?)
    }

    /// Admits a secret that comes from the host, and makes a handle for it.
    pub(crate) fn give(&mut self, secret: Secret) -> wasmtime::Result<Resource<Secret>> {
        let secret = secret.handed_over();
        self.admit(&secret)?;
        self.remember(&secret);
        self.handle(secret)
    }

    /// Takes back a handle that the guest returned.
    pub(crate) fn take(&mut self, handle: Resource<Secret>) -> wasmtime::Result<Secret> {
        Ok(self.table.delete(handle)?)
    }
}
