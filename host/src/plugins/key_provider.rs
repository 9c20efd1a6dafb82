//! The world `key-provider-plugin`: one fresh instance for each call.

use std::sync::Arc;

use serde_json::{Map, Value};
use wasmtime::Store;
use wasmtime::component::Resource;

use crate::bindings::KeyProviderPlugin;
use crate::bindings::exports::keyhost::plugin::key_provider as guest;
use crate::bindings::keyhost::plugin::config as wit;
use crate::component::cache::Cache;
use crate::component::{self, LoadedComponent, Refused, Request};
use crate::descriptor::{
    Attribute, AttributeType, Descriptor, InvalidDescriptor, MAXIMUM_ATTRIBUTES, MAXIMUM_DEFAULT,
};
use crate::engine::Engine;
use crate::limits::{Limit, LimitExceeded, Limits};
use crate::log::LogSink;
use crate::sandbox::Sandbox;
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::{KeyPair, Secret};

/// A configuration block, decoded: what a component's `build` receives.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The plain attributes.
    pub attributes: Map<String, Value>,
    /// The sensitive attributes.
    pub secrets: Vec<(String, Secret)>,
    /// The keys of other providers.
    pub keys: Vec<(String, KeyPair)>,
}

/// What a call of `provide` gave.
#[derive(Clone, Debug)]
pub struct Provided {
    /// The keys.
    pub keys: KeyPair,
    /// The metadata to store, byte for byte.
    pub metadata: Option<String>,
    /// Whether the provider keeps metadata.
    pub keeps_metadata: bool,
}

/// A kind of error that a guest answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `invalid-configuration`.
    InvalidConfiguration,
    /// `invalid-metadata`.
    InvalidMetadata,
    /// `key-provider-failure`.
    KeyProviderFailure,
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::InvalidConfiguration => "invalid configuration",
            Self::InvalidMetadata => "invalid metadata",
            Self::KeyProviderFailure => "key provider failure",
        })
    }
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The guest answered with an error. Its text is redacted.
    #[error("{kind}: {message}")]
    Guest {
        /// The kind.
        kind: ErrorKind,
        /// The guest's text.
        message: String,
    },
    /// The guest was stopped.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Its descriptor breaks the contract.
    #[error(transparent)]
    Descriptor(#[from] InvalidDescriptor),
}

impl From<LimitExceeded> for CallError {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::Fault(exceeded.into())
    }
}

/// A loaded key provider component.
pub struct KeyProviderComponent {
    loaded: LoadedComponent,
    sandbox: Sandbox,
}

impl KeyProviderComponent {
    /// Loads a component; `name` is what the operator calls it.
    ///
    /// # Errors
    /// [`Refused`] before any of it runs.
    pub fn load(
        engine: &Engine,
        cache: &Cache,
        name: &str,
        request: &Request<'_>,
        log: Arc<dyn LogSink>,
    ) -> Result<Self, Refused> {
        Ok(Self {
            loaded: component::load(engine, cache, request)?,
            sandbox: Sandbox {
                engine: engine.clone(),
                component: name.to_owned(),
                limits: Arc::new(request.limits.clone()),
                grants: request.grants,
                log,
            },
        })
    }

    /// The limits that it runs under.
    pub fn limits(&self) -> &Limits {
        &self.sandbox.limits
    }

    /// What the operator calls the component.
    pub fn name(&self) -> &str {
        &self.sandbox.component
    }

    /// Asks the component what it is, and checks the answer.
    ///
    /// # Errors
    /// [`CallError::Descriptor`] and [`CallError::Fault`].
    pub fn describe(&self) -> Result<Descriptor, CallError> {
        let described = self.call(|instance, store| {
            let guest = instance.keyhost_plugin_key_provider();
            guest.call_describe(&mut *store)
        })?;
        let descriptor = descriptor(described)?;
        descriptor.check()?;
        Ok(descriptor)
    }

    /// Builds a provider and drops it: whether a configuration is valid.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn build(&self, settings: &Settings) -> Result<(), CallError> {
        self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            build(&instance, store, settings).map(drop)
        })
    }

    /// Builds a provider and asks it for keys.
    ///
    /// `metadata` is told whether the provider keeps metadata, and gives what
    /// is stored of it. Metadata in both directions is checked by the caller.
    ///
    /// # Errors
    /// [`CallError`], and whatever `metadata` answers.
    pub fn provide<E>(
        &self,
        settings: &Settings,
        metadata: impl FnOnce(bool) -> Result<Option<String>, E>,
    ) -> Result<Provided, E>
    where
        E: From<CallError> + From<Fault>,
    {
        self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            let provider = build(&instance, store, settings)?;
            let guest = instance.keyhost_plugin_key_provider().provider();
            let keeps_metadata = guest
                .call_keeps_metadata(&mut *store, provider)
                .map_err(|error| Fault::of(&error, store))?;
            let metadata = metadata(keeps_metadata)?;
            let (keys, metadata) = guest
                .call_provide(&mut *store, provider, metadata.as_deref())
                .map_err(|error| Fault::of(&error, store))?
                .map_err(|error| guest_error(error, store))?;
            Ok(Provided {
                keys: take_keys(store, keys)?,
                metadata,
                keeps_metadata,
            })
        })
    }

    fn instantiate(&self, store: &mut Store<State>) -> Result<KeyProviderPlugin, Fault> {
        self.loaded
            .pre
            .instantiate(&mut *store)
            .map_err(|error| Fault::of(&error, store))
    }

    fn call<T>(
        &self,
        call: impl FnOnce(&KeyProviderPlugin, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            call(&instance, store).map_err(|error| Fault::of(&error, store).into())
        })
    }
}

fn build(
    instance: &KeyProviderPlugin,
    store: &mut Store<State>,
    settings: &Settings,
) -> Result<wasmtime::component::ResourceAny, CallError> {
    let config = give_config(store, settings).map_err(|error| Fault::of(&error, store))?;
    instance
        .keyhost_plugin_key_provider()
        .call_build(&mut *store, &config)
        .map_err(|error| Fault::of(&error, store))?
        .map_err(|error| guest_error(error, store))
}

fn give_config(store: &mut Store<State>, settings: &Settings) -> wasmtime::Result<wit::Config> {
    let state = store.data_mut();
    let mut config = wit::Config {
        attributes: Value::Object(settings.attributes.clone()).to_string(),
        secrets: Vec::new(),
        keys: Vec::new(),
    };
    for (name, secret) in &settings.secrets {
        config
            .secrets
            .push((name.clone(), state.give(secret.clone())?));
    }
    for (name, keys) in &settings.keys {
        let decryption_key = keys.decryption_key.clone();
        let pair = wit::KeyPair {
            encryption_key: state.give(keys.encryption_key.clone())?,
            decryption_key: decryption_key.map(|key| state.give(key)).transpose()?,
        };
        config.keys.push((name.clone(), pair));
    }
    Ok(config)
}

fn take_keys(store: &mut Store<State>, keys: wit::KeyPair) -> Result<KeyPair, CallError> {
    let mut take = |handle: Resource<Secret>| {
        let key = store
            .data_mut()
            .take(handle)
            .map_err(|error| Fault::of(&error, store))?;
        store
            .data_mut()
            .meter
            .check(Limit::KeyLength, key.len() as u64)?;
        Ok::<_, CallError>(key)
    };
    Ok(KeyPair {
        encryption_key: take(keys.encryption_key)?,
        decryption_key: keys.decryption_key.map(take).transpose()?,
    })
}

/// A guest that met a limit may tell it in its own words; the host's count.
fn guest_error(error: guest::Error, store: &Store<State>) -> CallError {
    if let Some(exceeded) = store.data().meter.exceeded() {
        return exceeded.clone().into();
    }
    let (kind, text) = match error {
        guest::Error::InvalidConfiguration(text) => (ErrorKind::InvalidConfiguration, text),
        guest::Error::InvalidMetadata(text) => (ErrorKind::InvalidMetadata, text),
        guest::Error::KeyProviderFailure(text) => (ErrorKind::KeyProviderFailure, text),
    };
    CallError::Guest {
        kind,
        message: store.data().fit(&text),
    }
}

fn descriptor(described: wit::Descriptor) -> Result<Descriptor, InvalidDescriptor> {
    if described.attributes.len() > MAXIMUM_ATTRIBUTES {
        let breach = format!("more than {MAXIMUM_ATTRIBUTES} attributes");
        return Err(InvalidDescriptor::new(breach));
    }
    let attributes = described.attributes.into_iter().map(attribute);
    Ok(Descriptor {
        id: crate::guest_text::fit(&described.id),
        version: crate::guest_text::fit(&described.version),
        attributes: attributes.collect::<Result<_, _>>()?,
    })
}

fn attribute(described: wit::Attribute) -> Result<Attribute, InvalidDescriptor> {
    let name = crate::guest_text::fit(&described.name);
    let default = match &described.default {
        None => None,
        Some(text) if text.len() > MAXIMUM_DEFAULT => {
            let breach = format!("the default of {name} is longer than {MAXIMUM_DEFAULT} bytes");
            return Err(InvalidDescriptor::new(breach));
        }
        Some(text) => Some(
            serde_json::from_str(text)
                .map_err(|_| InvalidDescriptor::new(format!("the default of {name} is no JSON")))?,
        ),
    };
    Ok(Attribute {
        kind: match described.kind {
            wit::AttributeType::String => AttributeType::String,
            wit::AttributeType::Number => AttributeType::Number,
            wit::AttributeType::Bool => AttributeType::Bool,
            wit::AttributeType::ListOfString => AttributeType::ListOfString,
            wit::AttributeType::MapOfString => AttributeType::MapOfString,
            wit::AttributeType::Key => AttributeType::Key,
        },
        required: described.required,
        sensitive: described.sensitive,
        default,
        description: crate::guest_text::fit(&described.description),
        name,
    })
}
