//! The main job: keys and metadata of a configured key provider, and of all
//! that it refers to.

pub mod chain;
pub mod metadata;
pub mod output;
pub mod settled;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::clock::WallClock;
use crate::component::cache::Cache;
use crate::component::{Refused, Request};
use crate::config::Config;
use crate::config::components::ComponentConfig;
use crate::config::reference::Address;
use crate::config::source::ConfigError;
use crate::descriptor::Descriptor;
use crate::engine::{Engine, EngineError};
use crate::log::LogSink;
use crate::plugins::error::CallError;
use crate::plugins::key_provider::KeyProviderComponent;
use crate::storage::{Bucket, Storage};
use metadata::MetadataError;

/// The key providers of one configuration, for any number of threads.
/// Components are loaded when they are first needed, and the engine with the
/// first of them.
pub struct KeyProviders<'a> {
    config: &'a Config,
    cache: Cache,
    log: Arc<dyn LogSink>,
    storage: Option<Arc<dyn Storage>>,
    clock: WallClock,
    engine: OnceLock<Engine>,
    loaded: Mutex<BTreeMap<String, Arc<Loaded>>>,
}

/// A component and what it says of itself.
struct Loaded {
    component: KeyProviderComponent,
    descriptor: Descriptor,
}

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvideError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A component was refused before it ran.
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
    /// A component failed, or was stopped.
    #[error("the component \"{component}\" gave no keys for {address}: {cause}")]
    Call {
        /// The key provider.
        address: Address,
        /// The component.
        component: String,
        /// Why.
        cause: CallError,
    },
    /// A component failed to say what it is.
    #[error("the component \"{component}\" cannot be used: {cause}")]
    Describe {
        /// The component.
        component: String,
        /// Why.
        cause: CallError,
    },
    /// Stored metadata is missing or damaged, or a component returned such.
    #[error("{address}: {cause}")]
    Metadata {
        /// The key provider.
        address: Address,
        /// Why.
        cause: MetadataError,
    },
    /// A component broke the contract.
    #[error("the component \"{component}\" broke the contract for {address}: {breach}")]
    Contract {
        /// The key provider.
        address: Address,
        /// The component.
        component: String,
        /// What it did.
        breach: String,
    },
    /// Two providers of a chain store metadata under the same key.
    #[error(
        "{first} and {second} both store metadata under \"{key}\": give one of them another encrypted_metadata_alias"
    )]
    DuplicateMetadataKey {
        /// The key.
        key: String,
        /// A provider.
        first: Address,
        /// Another provider.
        second: Address,
    },
}

impl<'a> KeyProviders<'a> {
    /// The key providers of a configuration.
    pub fn new(config: &'a Config, cache: Cache, log: Arc<dyn LogSink>) -> Self {
        Self {
            config,
            cache,
            log,
            storage: None,
            clock: WallClock::system(),
            engine: OnceLock::new(),
            loaded: Mutex::default(),
        }
    }

    /// Lets components that are granted storage keep bytes there.
    #[must_use]
    pub fn with_storage(self, storage: Arc<dyn Storage>) -> Self {
        Self {
            storage: Some(storage),
            ..self
        }
    }

    /// Tells components another time.
    #[must_use]
    pub fn with_clock(self, clock: WallClock) -> Self {
        Self { clock, ..self }
    }

    /// How to load a configured component.
    pub(crate) fn request<'c>(&self, configured: &'c ComponentConfig) -> Request<'c> {
        let storage = self.storage.as_ref().filter(|_| configured.grants.storage);
        Request {
            path: &configured.path,
            sha256: configured.sha256,
            grants: configured.grants,
            limits: &configured.limits,
            bucket: storage.map(|storage| Bucket::of_component(storage, &configured.name)),
            clock: self.clock.clone(),
        }
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn log(&self) -> Arc<dyn LogSink> {
        Arc::clone(&self.log)
    }

    /// The component that makes a key provider, loaded.
    fn load(&self, address: &Address) -> Result<Arc<Loaded>, ProvideError> {
        let configured = self.config.component(address)?;
        // Held while one is loaded: no other thread compiles the same.
        let mut all = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = all.get(&configured.name) {
            return Ok(Arc::clone(loaded));
        }
        let request = self.request(configured);
        let component = KeyProviderComponent::load(
            self.engine()?,
            &self.cache,
            &configured.name,
            &request,
            Arc::clone(&self.log),
        );
        let component = component.map_err(|cause| ProvideError::Refused {
            place: self.config.place(configured),
            cause,
        })?;
        let descriptor = component
            .describe()
            .map_err(|cause| ProvideError::Describe {
                component: configured.name.clone(),
                cause,
            })?;
        let loaded = Arc::new(Loaded {
            component,
            descriptor,
        });
        all.insert(configured.name.clone(), Arc::clone(&loaded));
        Ok(loaded)
    }

    pub(crate) fn engine(&self) -> Result<&Engine, EngineError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let engine = Engine::new()?;
        Ok(self.engine.get_or_init(|| engine))
    }
}
