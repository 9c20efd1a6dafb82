//! A component as the compliance suite sees it: run by this host, with nothing
//! redacted.

mod credentials_helper;
mod ephemeral_resource;
mod key_provider;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use keyhost::component::cache::Cache;
use keyhost::component::imports::Interface;
use keyhost::component::kind::PluginKind;
use keyhost::component::{Refused, Request, source};
use keyhost::config::Config;
use keyhost::config::decode::{Decoded, KeySource};
use keyhost::config::inputs::Inputs;
use keyhost::config::source::Source;
use keyhost::config::syntax::Syntax as HostSyntax;
use keyhost::descriptor::{AttributeType, Descriptor as HostDescriptor};
use keyhost::engine::Engine;
use keyhost::grants::Grants;
use keyhost::limits::Limits;
use keyhost::log::{Level, LogSink};
use keyhost::plugins::credentials_helper::CredentialsHelperComponent;
use keyhost::plugins::ephemeral_resource::EphemeralResourceComponent;
use keyhost::plugins::error::{CallError, ErrorKind};
use keyhost::plugins::key_provider::KeyProviderComponent;
use keyhost::plugins::settings::Settings as HostSettings;
use keyhost::sandbox::fault::Fault;
use keyhost::secret::{KeyPair, Secret};
use keyhost::storage::{Bucket, MemoryStorage, Storage};
use keyhost_compliance::Subject;
use keyhost_compliance::subject::{
    Attribute, Descriptor, Failure, FailureKind, Keys, Observed, Settings, Syntax,
};

use crate::stderr::StderrLog;

thread_local! {
    /// The messages of the call that runs on this thread.
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Keeps messages to be judged, and shows them where that is wanted.
struct ThreadLog {
    shown: Option<Arc<StderrLog>>,
}

impl LogSink for ThreadLog {
    fn record(&self, component: &str, level: Level, message: &str) {
        if let Some(shown) = &self.shown {
            shown.record(component, level, message);
        }
        LOG.with_borrow_mut(|log| log.push(message.to_owned()));
    }
}

/// A call's answer, with what was logged meanwhile.
fn observed<T>(call: impl FnOnce() -> Result<T, CallError>) -> Observed<T> {
    LOG.take();
    let result = call().map_err(failure);
    Observed {
        result,
        log: LOG.take(),
    }
}

/// Loads a component to be judged, under the default limits. Its messages are
/// shown where there is a log for them.
pub(crate) fn load(
    engine: &Engine,
    cache: &Cache,
    path: &Path,
    grants: Grants,
    shown: Option<Arc<StderrLog>>,
) -> Result<Box<dyn Subject>, Refused> {
    let limits = Limits::default();
    let bytes = source::read(path, &limits)?;
    let interface = Interface::of(path, &bytes)?;
    let kind = interface.kind(path)?;
    let request = Request {
        // Who may keep bytes gets a storage of its own, in memory.
        grants: Grants {
            storage: kind != PluginKind::KeyProvider,
            ..grants
        },
        ..Request::new(path, &limits)
    };
    let name = path.display().to_string();
    let (imports, log) = (interface.imports, Arc::new(ThreadLog { shown }));
    Ok(match kind {
        PluginKind::KeyProvider => {
            let component = KeyProviderComponent::load(engine, cache, &name, &request, log)?;
            Box::new(key_provider::KeyProviderSubject::new(component, imports))
        }
        PluginKind::CredentialsHelper => {
            let component = CredentialsHelperComponent::load(engine, cache, &name, &request, log)?;
            Box::new(credentials_helper::HelperSubject::new(component, imports))
        }
        PluginKind::EphemeralResource => {
            let component = EphemeralResourceComponent::load(engine, cache, &name, &request, log)?;
            Box::new(ephemeral_resource::EphemeralSubject::new(
                component, imports,
            ))
        }
    })
}

fn parsing(message: impl ToString) -> Failure {
    Failure {
        kind: FailureKind::Parsing,
        message: message.to_string(),
    }
}

/// A configuration of a case's text.
fn config(text: String, syntax: Syntax) -> Result<Config, Failure> {
    let syntax = match syntax {
        Syntax::Hcl => HostSyntax::Hcl,
        Syntax::Json => HostSyntax::Json,
    };
    let source = Source::new("case".to_owned(), text);
    Config::parse(source, syntax, Path::new("."), &Inputs::default()).map_err(parsing)
}

/// What was decoded, with the case file's keys in the place of references.
fn settings(decoded: Decoded, keys: &BTreeMap<String, Keys>) -> Result<Settings, Failure> {
    let mut settings = Settings {
        attributes: decoded.attributes,
        secrets: decoded
            .secrets
            .iter()
            .map(|(name, secret)| (name.clone(), secret.expose().to_vec()))
            .collect(),
        keys: Vec::new(),
    };
    for (name, source) in decoded.keys {
        let found = match source {
            KeySource::Literal(pair) => in_the_clear(&pair),
            KeySource::Provider(address) => {
                let found = keys.get(&address.to_string()).cloned();
                found.ok_or_else(|| parsing(format!("the case file has no keys for {address}")))?
            }
        };
        settings.keys.push((name, found));
    }
    Ok(settings)
}

fn descriptor(described: HostDescriptor) -> Descriptor {
    let attributes = described.attributes.into_iter().map(|attribute| Attribute {
        takes_keys: attribute.kind == AttributeType::Key,
        name: attribute.name,
        sensitive: attribute.sensitive,
        default: attribute.default,
        description: attribute.description,
    });
    Descriptor {
        attributes: attributes.collect(),
        id: described.id,
        version: described.version,
    }
}

fn failure(error: CallError) -> Failure {
    let (kind, message) = match error {
        CallError::Guest { kind, message } => {
            let kind = match kind {
                ErrorKind::InvalidConfiguration => FailureKind::InvalidConfiguration,
                ErrorKind::InvalidMetadata => FailureKind::InvalidMetadata,
                ErrorKind::Unsupported => FailureKind::Unsupported,
                _ => FailureKind::Failure,
            };
            (kind, message)
        }
        CallError::Fault(Fault::Limit(exceeded)) => (FailureKind::Limit, exceeded.to_string()),
        other => (FailureKind::Trap, other.to_string()),
    };
    Failure { kind, message }
}

fn host_settings(settings: &Settings) -> HostSettings {
    let secret = |bytes: &Vec<u8>| Secret::new(bytes.clone());
    let secrets = settings.secrets.iter();
    let keys = settings.keys.iter().map(|(name, keys)| {
        let pair = KeyPair {
            encryption_key: secret(&keys.encryption_key),
            decryption_key: keys.decryption_key.as_ref().map(secret),
        };
        (name.clone(), pair)
    });
    HostSettings {
        attributes: settings.attributes.clone(),
        secrets: secrets
            .map(|(name, bytes)| (name.clone(), secret(bytes)))
            .collect(),
        keys: keys.collect(),
    }
}

fn in_the_clear(pair: &KeyPair) -> Keys {
    Keys {
        encryption_key: pair.encryption_key.expose().to_vec(),
        decryption_key: pair
            .decryption_key
            .as_ref()
            .map(|key| key.expose().to_vec()),
    }
}

/// A bucket of a storage in memory, which is empty.
fn empty_bucket(name: &str) -> Bucket {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    Bucket::of_component(&storage, name)
}

/// Everything in a component's bucket.
fn records(bucket: &Bucket) -> Vec<(String, Vec<u8>)> {
    let keys = bucket.keys().unwrap_or_default();
    let value = |key: &str| bucket.get(key).ok().flatten().unwrap_or_default();
    keys.into_iter()
        .map(|key| (key.clone(), value(&key)))
        .collect()
}
