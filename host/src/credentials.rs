//! Tokens for hosts, kept by a credentials helper component that never sees
//! one.

pub mod host;
pub mod object;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::component::Refused;
use crate::config::Config;
use crate::config::source::ConfigError;
use crate::engine::EngineError;
use crate::key_provider::KeyProviders;
use crate::key_provider::chain::{references, settings};
use crate::key_provider::settled::{SettledKeyError, SettledKeys};
use crate::plugins::credentials_helper::CredentialsHelperComponent;
use crate::plugins::error::CallError;
use crate::plugins::settings::Settings;
use crate::storage::Storage;
use host::HostName;
use object::CredentialsObject;

/// How often a call is made where other processes make the key meanwhile.
const MAXIMUM_TRIES: u32 = 3;

/// One configured credentials helper.
pub struct Credentials<'a> {
    config: &'a Config,
    providers: KeyProviders<'a>,
    storage: Arc<dyn Storage>,
    kind: &'a str,
}

/// Why credentials were not got, stored or forgotten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The component was refused before it ran.
    #[error("{place}: {cause}")]
    Refused {
        /// File, line and column of its block.
        place: String,
        /// Why.
        cause: Refused,
    },
    /// The engine does not start on this machine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A key of the helper is not to be had.
    #[error("the credentials helper \"{helper}\" has no key: {cause}")]
    Key {
        /// The helper, which is also its component's name.
        helper: String,
        /// Why.
        cause: Box<SettledKeyError>,
    },
    /// The component failed, or was stopped.
    #[error("the credentials helper \"{helper}\" failed to {action}: {cause}")]
    Call {
        /// The helper.
        helper: String,
        /// What it was to do.
        action: String,
        /// Why it did not.
        cause: CallError,
    },
    /// The component broke the contract.
    #[error("the credentials helper \"{helper}\" broke the contract: {breach}")]
    Contract {
        /// The helper.
        helper: String,
        /// What it did.
        breach: String,
    },
}

impl<'a> Credentials<'a> {
    /// The helper of a type, with the key providers and the storage that its
    /// component works with.
    ///
    /// # Errors
    /// [`ConfigError`] where no such helper is configured.
    pub fn new(
        config: &'a Config,
        kind: &'a str,
        providers: KeyProviders<'a>,
        storage: Arc<dyn Storage>,
    ) -> Result<Self, ConfigError> {
        config.credentials_component(kind)?;
        Ok(Self {
            config,
            providers: providers.with_storage(Arc::clone(&storage)),
            storage,
            kind,
        })
    }

    /// The credentials of a host, byte for byte as they were stored.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn get(&self, host: &HostName) -> Result<Option<CredentialsObject>, CredentialsError> {
        let action = format!("get the credentials of {host}");
        let object = self.call(&action, |component, settings| component.get(settings, host))?;
        let Some(object) = object else {
            return Ok(None);
        };
        CredentialsObject::parse(object.expose())
            .map(Some)
            .map_err(|error| CredentialsError::Contract {
                helper: self.kind.to_owned(),
                breach: format!("of what it returned for {host}, {error}"),
            })
    }

    /// Keeps the credentials of a host, in place of those before.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn store(
        &self,
        host: &HostName,
        object: &CredentialsObject,
    ) -> Result<(), CredentialsError> {
        let action = format!("store the credentials of {host}");
        self.call(&action, |component, settings| {
            component.store(settings, host, object)
        })
    }

    /// Deletes the credentials of a host; without any, nothing.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn forget(&self, host: &HostName) -> Result<(), CredentialsError> {
        let action = format!("forget the credentials of {host}");
        self.call(&action, |component, settings| {
            component.forget(settings, host)
        })
    }

    /// The hosts that have credentials.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn hosts(&self) -> Result<Vec<String>, CredentialsError> {
        self.call("list its hosts", CredentialsHelperComponent::hosts)
    }

    /// Calls the component, again where another process made the key first.
    fn call<T>(
        &self,
        action: &str,
        call: impl Fn(&CredentialsHelperComponent, &Settings) -> Result<T, CallError>,
    ) -> Result<T, CredentialsError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let (component, settings) = self.load()?;
            match call(&component, &settings) {
                Err(CallError::Overtaken(_)) if tries < MAXIMUM_TRIES => {}
                answer => return answer.map_err(|cause| self.failed(action.to_owned(), cause)),
            }
        }
    }

    fn load(&self) -> Result<(CredentialsHelperComponent, Settings), CredentialsError> {
        let configured = self.config.credentials_component(self.kind)?;
        let component = CredentialsHelperComponent::load(
            self.providers.engine()?,
            self.providers.cache(),
            &configured.name,
            &self.providers.request(configured),
            self.providers.log(),
        );
        let component = component.map_err(|cause| CredentialsError::Refused {
            place: self.config.place(configured),
            cause,
        })?;
        let descriptor = component
            .describe()
            .map_err(|cause| self.failed("say what it is".to_owned(), cause))?;
        let decoded = self
            .config
            .decode_credentials_helper(self.kind, &descriptor)?;
        let settled = SettledKeys {
            user: self.kind,
            providers: &self.providers,
            storage: &*self.storage,
        };
        let mut keys = BTreeMap::new();
        let mut first_writes = Vec::new();
        for address in references(&decoded) {
            let pair = settled.keys(&address);
            let (pair, first) = pair.map_err(|cause| CredentialsError::Key {
                helper: self.kind.to_owned(),
                cause: Box::new(cause),
            })?;
            keys.insert(address, pair);
            first_writes.extend(first);
        }
        Ok((
            component.with_first_writes(first_writes),
            settings(decoded, &keys),
        ))
    }

    fn failed(&self, action: String, cause: CallError) -> CredentialsError {
        CredentialsError::Call {
            helper: self.kind.to_owned(),
            action,
            cause,
        }
    }
}
