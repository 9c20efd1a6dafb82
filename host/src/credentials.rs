//! Tokens for hosts, kept by a credentials helper component that never sees
//! one.

pub mod host;
pub mod object;

mod keys;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::component::Refused;
use crate::config::Config;
use crate::config::source::ConfigError;
use crate::engine::EngineError;
use crate::key_provider::chain::{references, settings};
use crate::key_provider::{KeyProviders, ProvideError};
use crate::plugins::credentials_helper::CredentialsHelperComponent;
use crate::plugins::error::CallError;
use crate::plugins::settings::Settings;
use crate::storage::{Storage, StorageError};
use host::HostName;
use keys::{Keeping, SettledKeys};
use object::CredentialsObject;

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
        cause: Box<ProvideError>,
    },
    /// The storage failed.
    #[error("the credentials helper \"{helper}\" has no storage: {cause}")]
    Storage {
        /// The helper.
        helper: String,
        /// Why.
        cause: StorageError,
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
        let (component, settings) = self.load(Keeping::Existing)?;
        let action = || format!("get the credentials of {host}");
        let object = component.get(&settings, host);
        let Some(object) = object.map_err(|cause| self.failed(action(), cause))? else {
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
        let (component, settings) = self.load(Keeping::New)?;
        let action = || format!("store the credentials of {host}");
        let stored = component.store(&settings, host, object);
        stored.map_err(|cause| self.failed(action(), cause))
    }

    /// Deletes the credentials of a host; without any, nothing.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn forget(&self, host: &HostName) -> Result<(), CredentialsError> {
        let (component, settings) = self.load(Keeping::Existing)?;
        let action = || format!("forget the credentials of {host}");
        let forgotten = component.forget(&settings, host);
        forgotten.map_err(|cause| self.failed(action(), cause))
    }

    /// The hosts that have credentials.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn hosts(&self) -> Result<Vec<String>, CredentialsError> {
        let (component, settings) = self.load(Keeping::Existing)?;
        let hosts = component.hosts(&settings);
        hosts.map_err(|cause| self.failed("list its hosts".to_owned(), cause))
    }

    fn load(
        &self,
        keeping: Keeping,
    ) -> Result<(CredentialsHelperComponent, Settings), CredentialsError> {
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
            helper: self.kind,
            providers: &self.providers,
            storage: &*self.storage,
        };
        let mut keys = BTreeMap::new();
        for address in references(&decoded) {
            let pair = settled.keys(&address, keeping)?;
            keys.insert(address, pair);
        }
        Ok((component, settings(decoded, &keys)))
    }

    fn failed(&self, action: String, cause: CallError) -> CredentialsError {
        CredentialsError::Call {
            helper: self.kind.to_owned(),
            action,
            cause,
        }
    }
}
