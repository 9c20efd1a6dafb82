//! The world `ephemeral-resource-plugin`: one fresh instance for each call.

use std::sync::Arc;

use serde_json::{Map, Value};
use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::error::{CallError, ErrorKind, guest_error, unhidden_failure};
use super::settings::{self, Settings};
use crate::bindings::ephemeral_resource::exports::keyhost::plugin::ephemeral_resource as guest;
use crate::bindings::ephemeral_resource::{EphemeralResourcePlugin, EphemeralResourcePluginPre};
use crate::clock::WallClock;
use crate::component::cache::Cache;
use crate::component::kind::PluginKind;
use crate::component::{self, Refused, Request};
use crate::descriptor::{Description, Output};
use crate::engine::Engine;
use crate::limits::{Limit, Limits};
use crate::log::LogSink;
use crate::sandbox::Sandbox;
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::Secret;
use crate::storage::Bucket;

/// What is kept of an open resource between calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The component's own notes. Never shown.
    pub private: Vec<u8>,
    /// When the component wants to renew, in seconds since 1970.
    pub renew_at: Option<u64>,
}

/// What `open` gave, not yet held against what the component declares.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The plain outputs.
    pub values: Map<String, Value>,
    /// The sensitive outputs.
    pub secrets: Vec<(String, Secret)>,
    /// The lease.
    pub lease: Lease,
}

/// A loaded ephemeral resource component.
#[derive(Clone)]
pub struct EphemeralResourceComponent {
    pre: EphemeralResourcePluginPre<State>,
    sandbox: Sandbox,
}

/// A built resource, in its instance.
struct Built<'a> {
    instance: EphemeralResourcePlugin,
    resource: ResourceAny,
    store: &'a mut Store<State>,
}

impl EphemeralResourceComponent {
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
        let kind = PluginKind::EphemeralResource;
        Ok(Self {
            pre: component::load(
                engine,
                cache,
                request,
                kind,
                EphemeralResourcePluginPre::new,
            )?,
            sandbox: Sandbox::new(engine, name, request, log),
        })
    }

    /// The same component with another storage.
    #[must_use]
    pub fn with_bucket(&self, bucket: Bucket) -> Self {
        let mut other = self.clone();
        other.sandbox.bucket = Some(bucket);
        other
    }

    /// The same component, told another time.
    #[must_use]
    pub fn with_clock(mut self, clock: WallClock) -> Self {
        self.sandbox.clock = clock;
        self
    }

    /// What the operator calls the component.
    pub fn name(&self) -> &str {
        &self.sandbox.component
    }

    /// The limits that it runs under.
    pub fn limits(&self) -> &Limits {
        &self.sandbox.limits
    }

    /// The same component with its texts shown as they are: to judge one with
    /// secrets that are made up.
    pub fn without_redaction(mut self) -> Self {
        self.sandbox.redacts = false;
        self
    }

    /// Asks the component what it is, and checks the answer.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn describe(&self) -> Result<Description, CallError> {
        let description = self.describe_unchecked()?;
        description.check()?;
        Ok(description)
    }

    /// Asks the component what it is. Only what cannot be represented is
    /// refused.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn describe_unchecked(&self) -> Result<Description, CallError> {
        let described = self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            let guest = instance.keyhost_plugin_ephemeral_resource();
            guest
                .call_describe(&mut *store)
                .map_err(|error| CallError::from(Fault::of(&error, store)))
        })?;
        let outputs = described.outputs.into_iter().map(|output| Output {
            name: crate::guest_text::fit(&output.name),
            kind: settings::attribute_type(output.kind),
            sensitive: output.sensitive,
            description: crate::guest_text::fit(&output.description),
        });
        Ok(Description {
            outputs: outputs.collect(),
            descriptor: settings::descriptor(described.descriptor)?,
        })
    }

    /// Builds a resource, to see whether it takes a configuration.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn build(&self, settings: &Settings) -> Result<(), CallError> {
        self.with_resource(settings, |_| Ok(()))
    }

    /// Makes the values and begins a lease.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn open(&self, settings: &Settings) -> Result<Opened, CallError> {
        self.with_resource(settings, |built| {
            let opened = built
                .instance
                .keyhost_plugin_ephemeral_resource()
                .ephemeral()
                .call_open(&mut *built.store, built.resource)
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))?;
            let mut secrets = Vec::new();
            for (name, handle) in opened.secrets {
                let secret = built.store.data_mut().take(handle);
                let secret = secret.map_err(|error| Fault::of(&error, built.store))?;
                secrets.push((name, secret));
            }
            Ok(Opened {
                values: object(&opened.values)?,
                secrets,
                lease: lease(opened.lease, built.store)?,
            })
        })
    }

    /// Extends a lease.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn renew(&self, settings: &Settings, private: &[u8]) -> Result<Lease, CallError> {
        self.with_resource(settings, |built| {
            let renewed = built
                .instance
                .keyhost_plugin_ephemeral_resource()
                .ephemeral()
                .call_renew(&mut *built.store, built.resource, private)
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))?;
            lease(renewed, built.store)
        })
    }

    /// Ends a lease.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn close(&self, settings: &Settings, private: &[u8]) -> Result<(), CallError> {
        self.with_resource(settings, |built| {
            built
                .instance
                .keyhost_plugin_ephemeral_resource()
                .ephemeral()
                .call_close(&mut *built.store, built.resource, private)
                .map_err(|error| Fault::of(&error, built.store))?
                .map_err(|error| told(error, built.store))
        })
    }

    fn with_resource<T>(
        &self,
        settings: &Settings,
        call: impl FnOnce(Built<'_>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        self.sandbox.run(|store| {
            let instance = self.instantiate(store)?;
            let config =
                settings::give_config(store, settings).map_err(|error| Fault::of(&error, store))?;
            let resource = instance
                .keyhost_plugin_ephemeral_resource()
                .call_build(&mut *store, &config)
                .map_err(|error| Fault::of(&error, store))?
                .map_err(|error| told(error, store))?;
            let value = call(Built {
                instance,
                resource,
                store: &mut *store,
            })?;
            unhidden_failure(store).map(|()| value)
        })
    }

    fn instantiate(&self, store: &mut Store<State>) -> Result<EphemeralResourcePlugin, Fault> {
        self.pre
            .instantiate(&mut *store)
            .map_err(|error| Fault::of(&error, store))
    }
}

fn object(text: &str) -> Result<Map<String, Value>, CallError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(CallError::Contract(
            "its values are not one JSON object".to_owned(),
        )),
    }
}

fn lease(lease: guest::Lease, store: &mut Store<State>) -> Result<Lease, CallError> {
    let meter = &mut store.data_mut().meter;
    meter.check(Limit::Metadata, lease.private.len() as u64)?;
    Ok(Lease {
        private: lease.private,
        renew_at: lease.renew_at,
    })
}

fn told(error: guest::Error, store: &Store<State>) -> CallError {
    let (kind, text) = match error {
        guest::Error::InvalidConfiguration(text) => (ErrorKind::InvalidConfiguration, text),
        guest::Error::Failure(text) => (ErrorKind::Failure, text),
    };
    guest_error(kind, &text, store)
}
