//! The world `key-provider-plugin`: one fresh instance for each call.

mod wire;

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use crate::bindings::key_provider::{KeyProviderPlugin, KeyProviderPluginPre};
use crate::descriptor::Descriptor;
use crate::limits::Limit;
use crate::plugins::component::component;
use crate::plugins::error::CallError;
use crate::plugins::settings::{self, Settings};
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::KeyPair;

/// What a call of `provide` gave.
#[derive(Clone, Debug)]
pub struct Provided {
    /// The keys.
    pub keys: KeyPair,
    /// The metadata to store, byte for byte.
    pub metadata: Option<String>,
    /// Whether the provider keeps metadata.
    pub keeps_metadata: bool,
    /// What it took until then.
    pub usage: Usage,
}

/// What a call has used of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Instructions, as wasmtime counts them.
    pub fuel: u64,
    /// All memories and tables, in bytes.
    pub memory: u64,
}

impl Usage {
    fn of(store: &Store<State>) -> Self {
        let meter = &store.data().meter;
        let left = store.get_fuel().unwrap_or(0);
        Self {
            fuel: meter.maximum(Limit::Fuel).saturating_sub(left),
            memory: meter.used(Limit::Memory),
        }
    }
}

component! {
    /// A loaded key provider component.
    KeyProviderComponent, KeyProvider, KeyProviderPluginPre, KeyProviderPlugin
}

impl KeyProviderComponent {
    /// Asks the component what it is, and checks the answer.
    ///
    /// # Errors
    /// [`CallError::Descriptor`] and [`CallError::Fault`].
    pub fn describe(&self) -> Result<Descriptor, CallError> {
        let descriptor = self.describe_unchecked()?;
        descriptor.check()?;
        Ok(descriptor)
    }

    /// Asks the component what it is. Only what cannot be represented is
    /// refused.
    ///
    /// # Errors
    /// [`CallError::Descriptor`] and [`CallError::Fault`].
    pub fn describe_unchecked(&self) -> Result<Descriptor, CallError> {
        let described = self.call(|instance, store| {
            let guest = instance.keyhost_plugin_key_provider();
            guest.call_describe(&mut *store)
        })?;
        Ok(settings::descriptor(described)?)
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
        self.provide_in(settings, metadata, false)
    }

    /// As [`KeyProviderComponent::provide`], with keys that the host derives
    /// when they are first used. What that takes counts against the limits all
    /// the same.
    ///
    /// # Errors
    /// [`CallError`], and whatever `metadata` answers.
    pub fn provide_deferred<E>(
        &self,
        settings: &Settings,
        metadata: impl FnOnce(bool) -> Result<Option<String>, E>,
    ) -> Result<Provided, E>
    where
        E: From<CallError> + From<Fault>,
    {
        self.provide_in(settings, metadata, true)
    }

    fn provide_in<E>(
        &self,
        settings: &Settings,
        metadata: impl FnOnce(bool) -> Result<Option<String>, E>,
        deferred: bool,
    ) -> Result<Provided, E>
    where
        E: From<CallError> + From<Fault>,
    {
        self.sandbox.run(|store| {
            store.data_mut().defers_derivation = deferred;
            let instance = self.instantiate(store)?;
            let provider = build(&instance, store, settings)?;
            let keeps_metadata = keeps_metadata(&instance, store, provider)?;
            let metadata = metadata(keeps_metadata)?;
            Ok(provide(
                &instance,
                store,
                provider,
                metadata.as_deref(),
                keeps_metadata,
            )?)
        })
    }

    /// Builds a provider and asks it for keys once for each metadata, all in
    /// one instance, to judge whether it keeps state. `each` is told every
    /// answer; after a fault there are no more.
    pub fn provide_each(
        &self,
        settings: &Settings,
        metadata: &[Option<&str>],
        mut each: impl FnMut(Result<Provided, CallError>),
    ) {
        let answered = self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            let provider = build(&instance, store, settings)?;
            let keeps_metadata = keeps_metadata(&instance, store, provider)?;
            for metadata in metadata {
                match provide(&instance, store, provider, *metadata, keeps_metadata) {
                    Err(error @ CallError::Fault(_)) => return Err(error),
                    answer => each(answer),
                }
            }
            Ok(())
        });
        if let Err(error) = answered {
            each(Err(error));
        }
    }
}

fn keeps_metadata(
    instance: &KeyProviderPlugin,
    store: &mut Store<State>,
    provider: ResourceAny,
) -> Result<bool, Fault> {
    instance
        .keyhost_plugin_key_provider()
        .provider()
        .call_keeps_metadata(&mut *store, provider)
        .map_err(|error| Fault::of(&error, store))
}

fn provide(
    instance: &KeyProviderPlugin,
    store: &mut Store<State>,
    provider: ResourceAny,
    metadata: Option<&str>,
    keeps_metadata: bool,
) -> Result<Provided, CallError> {
    let (keys, metadata) = instance
        .keyhost_plugin_key_provider()
        .provider()
        .call_provide(&mut *store, provider, metadata)
        .map_err(|error| Fault::of(&error, store))?
        .map_err(|error| wire::error(error, store))?;
    let keys = wire::take_keys(store, keys)?;
    Ok(Provided {
        keys,
        metadata,
        keeps_metadata,
        usage: Usage::of(store),
    })
}

fn build(
    instance: &KeyProviderPlugin,
    store: &mut Store<State>,
    settings: &Settings,
) -> Result<ResourceAny, CallError> {
    let config =
        settings::give_config(store, settings).map_err(|error| Fault::of(&error, store))?;
    instance
        .keyhost_plugin_key_provider()
        .call_build(&mut *store, &config)
        .map_err(|error| Fault::of(&error, store))?
        .map_err(|error| wire::error(error, store))
}
