//! Values that live for one operation: opened, renewed while in use, closed.

pub mod given;
pub mod lease;
pub mod leases;
pub mod outputs;
pub mod renewal;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::component::kind::PluginKind;
use crate::component::{self, Refused};
use crate::config::Config;
use crate::config::components::ComponentConfig;
use crate::config::decode::Decoded;
use crate::config::ephemeral::EphemeralAddress;
use crate::config::reference::Address;
use crate::config::source::ConfigError;
use crate::descriptor::Description;
use crate::engine::EngineError;
use crate::key_provider::KeyProviders;
use crate::key_provider::chain::{references, settings};
use crate::key_provider::settled::{SettledKeyError, SettledKeys};
use crate::plugins::ephemeral_resource::EphemeralResourceComponent;
use crate::plugins::error::CallError;
use crate::plugins::settings::Settings;
use crate::secret::{KeyPair, Secret};
use crate::storage::Storage;
use given::AttributeError;
use lease::OpenResource;

/// The ephemeral resources of one configuration.
pub struct EphemeralResources<'a> {
    config: &'a Config,
    providers: KeyProviders<'a>,
    storage: Arc<dyn Storage>,
}

/// A configured resource with its component loaded and its keys at hand. It is
/// not open.
#[derive(Clone)]
pub struct EphemeralResource {
    address: EphemeralAddress,
    component: EphemeralResourceComponent,
    description: Description,
    settings: Settings,
}

/// Why a resource was not opened, renewed or closed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EphemeralError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An attribute that a program gave cannot be used.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
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
    /// A key of the resource is not to be had.
    #[error("{address} has no key: {cause}")]
    Key {
        /// The resource.
        address: EphemeralAddress,
        /// Why.
        cause: Box<SettledKeyError>,
    },
    /// The component failed, or was stopped.
    #[error("{address} failed to {action}: {cause}")]
    Call {
        /// The resource.
        address: EphemeralAddress,
        /// What it was to do.
        action: &'static str,
        /// Why it did not.
        cause: CallError,
    },
    /// It took too long.
    #[error("{address} failed to {action} within {seconds} s")]
    TooLong {
        /// The resource.
        address: EphemeralAddress,
        /// What it was to do.
        action: &'static str,
        /// The time it had.
        seconds: u64,
    },
}

impl<'a> EphemeralResources<'a> {
    /// The resources of a configuration, with the key providers and the storage
    /// that their components work with.
    pub fn new(config: &'a Config, providers: KeyProviders<'a>, storage: Arc<dyn Storage>) -> Self {
        Self {
            config,
            providers: providers.with_storage(Arc::clone(&storage)),
            storage,
        }
    }

    /// Loads a resource, to be opened, or to be renewed or closed after another
    /// process opened it.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn load(&self, address: &EphemeralAddress) -> Result<EphemeralResource, EphemeralError> {
        let configured = self.config.ephemeral_component(address)?;
        let (component, description) = self.component(address, configured)?;
        let decoded = self
            .config
            .decode_ephemeral_resource(address, &description.descriptor)?;
        self.resource(address, component, description, decoded)
    }

    /// As [`EphemeralResources::load`], of a component's type with attributes
    /// that a program gives. The address is for messages and for the name that
    /// keys are kept under.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn load_given(
        &self,
        address: &EphemeralAddress,
        attributes: &Map<String, Value>,
    ) -> Result<EphemeralResource, EphemeralError> {
        let configured = self.config.pinned_component(address.kind())?;
        let (component, description) = self.component(address, configured)?;
        let decoded = given::decode(attributes, &description.descriptor)?;
        for reference in references(&decoded) {
            self.config.check_key_provider(&reference)?;
        }
        self.resource(address, component, description, decoded)
    }

    /// What every ephemeral resource component of the configuration declares,
    /// by its name.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn types(&self) -> Result<Vec<(String, Description)>, EphemeralError> {
        let mut types = Vec::new();
        for configured in self.components(|_| true)? {
            self.config.require_pin(configured)?;
            if let Some(address) = EphemeralAddress::new(&configured.name, &configured.name) {
                let (_, description) = self.component(&address, configured)?;
                types.push((configured.name.clone(), description));
            }
        }
        Ok(types)
    }

    /// The ephemeral resource components of the configuration whose names are
    /// wanted. Only their files are looked at.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn components(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<&'a ComponentConfig>, EphemeralError> {
        let mut components = Vec::new();
        for configured in self.config.components() {
            if !wanted(&configured.name) {
                continue;
            }
            let kind = component::kind_of(&configured.path, &configured.limits);
            let kind = kind.map_err(|cause| EphemeralError::Refused {
                place: self.config.place(configured),
                cause,
            })?;
            if kind == PluginKind::EphemeralResource {
                components.push(configured);
            }
        }
        Ok(components)
    }

    /// The key of a key provider that stays the same, for a named user.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn key(&self, user: &EphemeralAddress, of: &Address) -> Result<Secret, EphemeralError> {
        self.config.check_key_provider(of)?;
        Ok(self.settled(user, of)?.encryption_key)
    }

    fn component(
        &self,
        address: &EphemeralAddress,
        configured: &ComponentConfig,
    ) -> Result<(EphemeralResourceComponent, Description), EphemeralError> {
        let component = EphemeralResourceComponent::load(
            self.providers.engine()?,
            self.providers.cache(),
            &configured.name,
            &self.providers.request(configured),
            self.providers.log(),
        );
        let component = component.map_err(|cause| EphemeralError::Refused {
            place: self.config.place(configured),
            cause,
        })?;
        let description = component.describe().map_err(|cause| EphemeralError::Call {
            address: address.clone(),
            action: "say what it is",
            cause,
        })?;
        Ok((component, description))
    }

    fn resource(
        &self,
        address: &EphemeralAddress,
        component: EphemeralResourceComponent,
        description: Description,
        decoded: Decoded,
    ) -> Result<EphemeralResource, EphemeralError> {
        let mut keys = BTreeMap::new();
        for reference in references(&decoded) {
            let pair = self.settled(address, &reference)?;
            keys.insert(reference, pair);
        }
        Ok(EphemeralResource {
            address: address.clone(),
            component,
            description,
            settings: settings(decoded, &keys),
        })
    }

    fn settled(&self, user: &EphemeralAddress, of: &Address) -> Result<KeyPair, EphemeralError> {
        let name = format!("ephemeral/{}/{}", user.kind(), user.name());
        let settled = SettledKeys {
            user: &name,
            providers: &self.providers,
            storage: &*self.storage,
        };
        settled.kept_keys(of).map_err(|cause| EphemeralError::Key {
            address: user.clone(),
            cause: Box::new(cause),
        })
    }
}

impl EphemeralResource {
    /// The address.
    pub fn address(&self) -> &EphemeralAddress {
        &self.address
    }

    /// What the component declares.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Makes the values and begins a lease. Where the values break the
    /// contract, the lease is ended at once.
    ///
    /// # Errors
    /// [`EphemeralError`].
    pub fn open(self) -> Result<OpenResource, EphemeralError> {
        let opened = self
            .component
            .open(&self.settings)
            .map_err(|cause| self.failed("open", cause))?;
        let outputs = outputs::check(&self.description, opened.values, opened.secrets);
        match outputs {
            Ok(outputs) => Ok(OpenResource::new(self, outputs, opened.lease)),
            Err(breach) => {
                let error = self.failed("open", CallError::Contract(breach));
                // The breach is what there is to tell.
                let _ = OpenResource::resumed(self, opened.lease).close();
                Err(error)
            }
        }
    }

    fn failed(&self, action: &'static str, cause: CallError) -> EphemeralError {
        EphemeralError::Call {
            address: self.address.clone(),
            action,
            cause,
        }
    }
}
