//! Components, as the plugin serves them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use crate::clock::WallClock;
use crate::component::cache::Cache;
use crate::config::Config;
use crate::config::ephemeral::EphemeralAddress;
use crate::config::source::ConfigError;
use crate::digest::Digest;
use crate::ephemeral::lease::OpenResource;
use crate::ephemeral::renewal::with_margin;
use crate::ephemeral::{EphemeralError, EphemeralResource, EphemeralResources as Components};
use crate::key_provider::KeyProviders;
use crate::log::{Level, LogSink};
use crate::places;
use crate::plugins::ephemeral_resource::Lease as HostLease;
use keyhost_terraform_plugin::{Diagnostic, EphemeralResources, Lease, Opened, ResourceType};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::leases::Private;
use super::{key, schema};

/// The name of what terraform configures, in messages and for keys.
const NAME: &str = "terraform";

/// What is served: the ephemeral resource components of a configuration, or what
/// is wrong with it.
pub struct Provider {
    config: Result<Config, String>,
    /// By type and attributes: renewing and closing derive no key again.
    loaded: Mutex<HashMap<(String, Digest), EphemeralResource>>,
}

/// Terraform keeps messages in its own log.
struct PluginLog;

impl LogSink for PluginLog {
    fn record(&self, component: &str, level: Level, message: &str) {
        if level >= Level::Warn {
            let _ = writeln!(
                io::stderr(),
                "{level}: the component \"{component}\" says: {message}"
            );
        }
    }
}

type Answer<T> = Result<T, Vec<Diagnostic>>;

impl Provider {
    /// A provider over a configuration. What is wrong with one is told as a
    /// diagnostic, when a resource is asked for.
    pub fn new(config: Result<Config, ConfigError>) -> Self {
        Self {
            config: config.map_err(|error| error.to_string()),
            loaded: Mutex::default(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&Components<'_>) -> Result<T, Diagnostic>) -> Answer<T> {
        let config = self.config.as_ref().map_err(|error| {
            let detail =
                format!("{error}. Set KEYHOST_CONFIG, or put keyhost.hcl beside the module.");
            vec![Diagnostic::error("No configuration", detail)]
        })?;
        let warn = |text: &str| {
            let _ = writeln!(io::stderr(), "warning: {text}");
        };
        let cache = places::cache().map_or_else(Cache::none, |directory| {
            Cache::new(directory, Box::new(warn))
        });
        let storage = config
            .storage()
            .open(places::storage())
            .map_err(|error| vec![Diagnostic::error("No storage", format!("{error}."))])?;
        let providers = KeyProviders::new(config, cache, Arc::new(PluginLog));
        let providers = providers.with_storage(Arc::clone(&storage));
        work(&Components::new(config, providers, storage)).map_err(|error| vec![error])
    }

    /// The component of a type, loaded with attributes.
    fn load(
        &self,
        components: &Components<'_>,
        type_name: &str,
        attributes: &Map<String, Value>,
    ) -> Result<EphemeralResource, Diagnostic> {
        let text = Zeroizing::new(Value::Object(attributes.clone()).to_string());
        let key = (type_name.to_owned(), Digest::of(text.as_bytes()));
        if let Some(resource) = self.loaded().get(&key) {
            return Ok(resource.clone());
        }
        let named = components.components(|name| schema::type_name(name) == type_name);
        let named = named.map_err(told)?;
        let address = named
            .first()
            .and_then(|component| EphemeralAddress::new(&component.name, NAME));
        let unknown = || Diagnostic::error("Unknown type", "keyhost has no such component.");
        let address = address.ok_or_else(unknown)?;
        let resource = components.load_given(&address, attributes).map_err(told)?;
        self.loaded().insert(key, resource.clone());
        Ok(resource)
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<(String, Digest), EphemeralResource>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EphemeralResources for Provider {
    fn types(&self) -> Vec<ResourceType> {
        let types = self.with(|components| components.types().map_err(told));
        let components = types.unwrap_or_else(|errors| {
            for error in errors {
                let _ = writeln!(io::stderr(), "error: {error}");
            }
            Vec::new()
        });
        let components = components
            .iter()
            .map(|(name, description)| schema::resource_type(name, description));
        components.chain([key::resource_type()]).collect()
    }

    fn validate(&self, type_name: &str, config: &Map<String, Value>) -> Vec<Diagnostic> {
        if type_name == key::TYPE {
            return key::address(config).err().into_iter().collect();
        }
        // Values that are not known yet are missing here: the rest is judged when
        // the resource is opened.
        Vec::new()
    }

    fn open(&self, type_name: &str, config: &Map<String, Value>) -> Answer<Opened> {
        self.with(|components| {
            if type_name == key::TYPE {
                return key::open(components, config);
            }
            let resource = self.load(components, type_name, config)?;
            let open = resource.open().map_err(told)?;
            let outputs = open.outputs();
            let mut values = outputs.values.clone();
            for (name, secret) in &outputs.secrets {
                let text = String::from_utf8_lossy(secret.expose()).into_owned();
                values.insert(name.clone(), Value::String(text));
            }
            Ok(Opened {
                values,
                lease: lease(open.lease(), config)?,
            })
        })
    }

    fn renew(&self, type_name: &str, private: &[u8]) -> Answer<Lease> {
        self.with(|components| {
            let Private { attributes, notes } = Private::of(private)?;
            let resource = self.load(components, type_name, &attributes)?;
            let mut open = OpenResource::resumed(resource, resumed(notes));
            open.renew().map_err(told)?;
            lease(open.lease(), &attributes)
        })
    }

    fn close(&self, type_name: &str, private: &[u8]) -> Answer<()> {
        if type_name == key::TYPE {
            return Ok(());
        }
        self.with(|components| {
            let Private { attributes, notes } = Private::of(private)?;
            let resource = self.load(components, type_name, &attributes)?;
            let open = OpenResource::resumed(resource, resumed(notes));
            open.close().map_err(told)
        })
    }
}

fn resumed(private: Vec<u8>) -> HostLease {
    HostLease {
        private,
        renew_at: None,
    }
}

fn lease(lease: &HostLease, attributes: &Map<String, Value>) -> Result<Lease, Diagnostic> {
    let private = Private {
        attributes: attributes.clone(),
        notes: lease.private.clone(),
    };
    // Terraform renews at the very time, which is too late for a lease's end.
    let now = WallClock::system().seconds();
    let renew_at = lease.renew_at.map(|at| with_margin(at, now));
    Ok(Lease {
        private: private.to_bytes()?,
        renew_at: renew_at.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds))),
    })
}

fn told(error: EphemeralError) -> Diagnostic {
    match error {
        EphemeralError::Attribute(error) => {
            let attribute = error.attribute.clone();
            Diagnostic::error("Wrong attribute", format!("{error}.")).about(attribute)
        }
        other => Diagnostic::error("keyhost failed", format!("{other}.")),
    }
}
