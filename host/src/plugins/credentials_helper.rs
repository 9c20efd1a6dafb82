//! The world `credentials-helper-plugin`: one fresh instance for each call.

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::component::component;
use super::error::{CallError, ErrorKind, guest_error, unhidden_failure};
use super::settings::{self, Settings};
use crate::bindings::credentials_helper::exports::keyhost::plugin::credentials_helper as guest;
use crate::bindings::credentials_helper::{CredentialsHelperPlugin, CredentialsHelperPluginPre};
use crate::bindings::imports::keyhost::plugin::credentials as wit;
use crate::credentials::host::HostName;
use crate::credentials::object::CredentialsObject;
use crate::descriptor::Descriptor;
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::Secret;
use crate::storage::FirstWrite;

/// More hosts than people have tokens for.
const MAXIMUM_HOSTS: usize = 10_000;

/// A name of DNS and a port, in bytes.
const LONGEST_HOST: usize = 260;

component! {
    /// A loaded credentials helper component.
    CredentialsHelperComponent, CredentialsHelper, CredentialsHelperPluginPre, CredentialsHelperPlugin
}

/// A built helper, in its instance.
struct Built<'a> {
    instance: CredentialsHelperPlugin,
    helper: ResourceAny,
    store: &'a mut Store<State>,
}

impl CredentialsHelperComponent {
    /// The same component, with what has to be kept before its first write.
    pub(crate) fn with_first_writes(mut self, first_writes: Vec<FirstWrite>) -> Self {
        let bucket = self.sandbox.bucket.take();
        self.sandbox.bucket = bucket.map(|bucket| bucket.with_first_writes(first_writes));
        self
    }

    /// Asks the component what it is, and checks the answer.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn describe(&self) -> Result<Descriptor, CallError> {
        let descriptor = self.describe_unchecked()?;
        descriptor.check()?;
        Ok(descriptor)
    }

    /// Asks the component what it is. Only what cannot be represented is
    /// refused.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn describe_unchecked(&self) -> Result<Descriptor, CallError> {
        let described = self.call(|instance, store| {
            let guest = instance.keyhost_plugin_credentials_helper();
            guest.call_describe(store)
        })?;
        Ok(settings::descriptor(described)?)
    }

    /// Builds a helper, to see whether it takes a configuration.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn build(&self, settings: &Settings) -> Result<(), CallError> {
        self.with_helper(settings, |_| Ok(()))
    }

    /// The credentials object of a host, as the guest gives it.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn get(&self, settings: &Settings, host: &HostName) -> Result<Option<Secret>, CallError> {
        self.with_helper(settings, |built| {
            let answer = built
                .instance
                .keyhost_plugin_credentials_helper()
                .helper()
                .call_get(&mut *built.store, built.helper, host.as_str())
                .map_err(|error| Fault::of(&error, built.store))?;
            let handle = answer.map_err(|error| told(error, built.store))?;
            let take = |handle| {
                let taken = built.store.data_mut().take(handle);
                taken.map_err(|error| CallError::from(Fault::of(&error, built.store)))
            };
            handle.map(take).transpose()
        })
    }

    /// Keeps a credentials object for a host.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn store(
        &self,
        settings: &Settings,
        host: &HostName,
        object: &CredentialsObject,
    ) -> Result<(), CallError> {
        self.with_helper(settings, |built| {
            let handle = built.store.data_mut().give(object.secret().clone());
            let credentials = wit::Credentials {
                object: handle.map_err(|error| Fault::of(&error, built.store))?,
                properties: object.properties().to_vec(),
            };
            built
                .instance
                .keyhost_plugin_credentials_helper()
                .helper()
                .call_store(&mut *built.store, built.helper, host.as_str(), &credentials)
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))
        })
    }

    /// Deletes the credentials of a host.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn forget(&self, settings: &Settings, host: &HostName) -> Result<(), CallError> {
        self.with_helper(settings, |built| {
            built
                .instance
                .keyhost_plugin_credentials_helper()
                .helper()
                .call_forget(&mut *built.store, built.helper, host.as_str())
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))
        })
    }

    /// The hosts that have credentials, for people.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn hosts(&self, settings: &Settings) -> Result<Vec<String>, CallError> {
        self.with_helper(settings, |built| {
            let hosts = built
                .instance
                .keyhost_plugin_credentials_helper()
                .helper()
                .call_hosts(&mut *built.store, built.helper)
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))?;
            if hosts.len() > MAXIMUM_HOSTS || hosts.iter().any(|host| host.len() > LONGEST_HOST) {
                let breach = format!("it lists more than {MAXIMUM_HOSTS} hosts, or a long one");
                return Err(CallError::Contract(breach));
            }
            let state = built.store.data();
            Ok(hosts.iter().map(|host| state.fit(host)).collect())
        })
    }

    fn with_helper<T>(
        &self,
        settings: &Settings,
        call: impl FnOnce(Built<'_>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            let config =
                settings::give_config(store, settings).map_err(|error| Fault::of(&error, store))?;
            let helper = instance
                .keyhost_plugin_credentials_helper()
                .call_build(&mut *store, &config)
                .map_err(|error| Fault::of(&error, store))?
                .map_err(|error| told(error, store))?;
            let value = call(Built {
                instance,
                helper,
                store: &mut *store,
            })?;
            unhidden_failure(store).map(|()| value)
        })
    }
}

fn told(error: guest::Error, store: &Store<State>) -> CallError {
    let (kind, text) = match error {
        guest::Error::InvalidConfiguration(text) => (ErrorKind::InvalidConfiguration, text),
        guest::Error::Unsupported(text) => (ErrorKind::Unsupported, text),
        guest::Error::Failure(text) => (ErrorKind::Failure, text),
    };
    guest_error(kind, &text, store)
}
