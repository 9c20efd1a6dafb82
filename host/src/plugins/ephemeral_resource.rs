//! The world `ephemeral-resource-plugin`: one fresh instance for each call.

use serde_json::{Map, Value};
use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::component::component;
use super::error::{CallError, ErrorKind, guest_error, unhidden_failure};
use super::settings::{self, Settings};
use crate::bindings::ephemeral_resource::exports::keyhost::plugin::ephemeral_resource as guest;
use crate::bindings::ephemeral_resource::{EphemeralResourcePlugin, EphemeralResourcePluginPre};
use crate::descriptor::{Description, Output};
use crate::limits::Limit;
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::Secret;

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

component! {
    /// A loaded ephemeral resource component.
    EphemeralResourceComponent, EphemeralResource, EphemeralResourcePluginPre, EphemeralResourcePlugin
}

/// A built resource, in its instance.
struct Built<'a> {
    instance: EphemeralResourcePlugin,
    resource: ResourceAny,
    store: &'a mut Store<State>,
}

impl EphemeralResourceComponent {
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
        let described = self.call(|instance, store| {
            let guest = instance.keyhost_plugin_ephemeral_resource();
            guest.call_describe(store)
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
