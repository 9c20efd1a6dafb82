//! A component as the compliance suite sees it: run by this host, with nothing
//! redacted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use keyhost::component::cache::Cache;
use keyhost::component::imports::Interface;
use keyhost::component::{Refused, Request, source};
use keyhost::config::Config;
use keyhost::config::decode::KeySource;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::Source;
use keyhost::config::syntax::Syntax as HostSyntax;
use keyhost::descriptor::{AttributeType, Descriptor as HostDescriptor};
use keyhost::engine::Engine;
use keyhost::grants::Grants;
use keyhost::key_provider::metadata;
use keyhost::limits::Limits;
use keyhost::log::{Level, LogSink};
use keyhost::plugins::error::{CallError, ErrorKind};
use keyhost::plugins::key_provider::{self as plugin, KeyProviderComponent};
use keyhost::plugins::settings::Settings as HostSettings;
use keyhost::sandbox::fault::Fault;
use keyhost::secret::{KeyPair, Secret};
use keyhost_compliance::Subject;
use keyhost_compliance::subject::{
    Attribute, Descriptor, Failure, FailureKind, Keys, Observed, Provided, Settings, Syntax,
};

/// A loaded component under judgement, under the default limits.
pub(crate) struct ComponentSubject {
    component: KeyProviderComponent,
    imports: Vec<String>,
    /// What the component says of itself, to decode configurations by.
    descriptor: Result<HostDescriptor, CallError>,
}

thread_local! {
    /// The messages of the call that runs on this thread.
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct ThreadLog;

impl LogSink for ThreadLog {
    fn record(&self, _: &str, _: Level, message: &str) {
        LOG.with_borrow_mut(|log| log.push(message.to_owned()));
    }
}

impl ComponentSubject {
    pub(crate) fn load(
        engine: &Engine,
        cache: &Cache,
        path: &Path,
        grants: Grants,
    ) -> Result<Self, Refused> {
        let limits = Limits::default();
        let bytes = source::read(path, &limits)?;
        let imports = Interface::of(path, &bytes)?.imports;
        let request = Request {
            path,
            sha256: None,
            grants,
            limits: &limits,
            bucket: None,
        };
        let name = path.display().to_string();
        let component =
            KeyProviderComponent::load(engine, cache, &name, &request, Arc::new(ThreadLog))?;
        let component = component.without_redaction();
        Ok(Self {
            descriptor: component.describe_unchecked(),
            component,
            imports,
        })
    }

    /// What the host does before a component sees metadata.
    fn admit(&self, metadata: Option<&str>) -> Result<(), Failure> {
        let Some(text) = metadata else { return Ok(()) };
        metadata::check("given", text, self.component.limits()).map_err(|error| Failure {
            kind: FailureKind::InvalidMetadata,
            message: error.to_string(),
        })
    }
}

impl Subject for ComponentSubject {
    fn name(&self) -> &str {
        self.component.name()
    }

    fn imports(&self) -> &[String] {
        &self.imports
    }

    fn describe(&self) -> Result<Descriptor, Failure> {
        let described = self.component.describe_unchecked();
        described.map(descriptor).map_err(failure)
    }

    fn breach(&self, _: &Descriptor) -> Option<String> {
        let described = self.descriptor.as_ref().ok()?;
        described.check().err().map(|breach| breach.to_string())
    }

    fn decode(
        &self,
        syntax: Syntax,
        text: &str,
        keys: &BTreeMap<String, Keys>,
    ) -> Result<Settings, Failure> {
        let parsing = |message: String| Failure {
            kind: FailureKind::Parsing,
            message,
        };
        let descriptor = self
            .descriptor
            .as_ref()
            .map_err(|error| failure(error.clone()))?;
        let (text, syntax) = match syntax {
            Syntax::Hcl => (format!("encryption {{\n{text}\n}}\n"), HostSyntax::Hcl),
            Syntax::Json => (format!("{{\"encryption\": {text}\n}}"), HostSyntax::Json),
        };
        let source = Source::new("case".to_owned(), text);
        let config = Config::parse(source, syntax, Path::new("."), &Inputs::default())
            .map_err(|error| parsing(error.to_string()))?;
        let address = config
            .key_providers()
            .next()
            .filter(|address| address.kind() == descriptor.id)
            .ok_or_else(|| {
                parsing(format!(
                    "there is no key_provider \"{}\" block",
                    descriptor.id
                ))
            })?;
        let decoded = config
            .decode_alone(address, descriptor)
            .map_err(|error| parsing(error.to_string()))?;
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
                    found.ok_or_else(|| {
                        parsing(format!("the case file has no keys for {address}"))
                    })?
                }
            };
            settings.keys.push((name, found));
        }
        Ok(settings)
    }

    fn build(&self, settings: &Settings) -> Observed<()> {
        LOG.take();
        let result = self
            .component
            .build(&host_settings(settings))
            .map_err(failure);
        Observed {
            result,
            log: LOG.take(),
        }
    }

    fn provide_each(
        &self,
        settings: &Settings,
        metadata: &[Option<&str>],
    ) -> Vec<Observed<Provided>> {
        LOG.take();
        let admitted: Vec<_> = metadata
            .iter()
            .map(|metadata| self.admit(*metadata))
            .collect();
        let passed: Vec<_> = metadata
            .iter()
            .zip(&admitted)
            .filter(|(_, admitted)| admitted.is_ok())
            .map(|(metadata, _)| *metadata)
            .collect();
        let mut answers = Vec::new();
        if !passed.is_empty() {
            self.component
                .provide_each(&host_settings(settings), &passed, |answer| {
                    answers.push(Observed {
                        result: answer.map(provided).map_err(failure),
                        log: LOG.take(),
                    });
                });
        }
        let mut answers = answers.into_iter();
        let each = admitted.into_iter().map_while(|admitted| match admitted {
            Ok(()) => answers.next(),
            Err(failure) => Some(Observed {
                result: Err(failure),
                log: Vec::new(),
            }),
        });
        each.collect()
    }
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

fn provided(provided: plugin::Provided) -> Provided {
    Provided {
        keys: in_the_clear(&provided.keys),
        metadata: provided.metadata,
        keeps_metadata: provided.keeps_metadata,
        fuel: provided.usage.fuel,
        memory: provided.usage.memory,
    }
}
