use std::collections::BTreeMap;

use keyhost::descriptor::Descriptor as HostDescriptor;
use keyhost::key_provider::metadata;
use keyhost::plugins::error::CallError;
use keyhost::plugins::key_provider::{self as plugin, KeyProviderComponent};
use keyhost_compliance::Subject;
use keyhost_compliance::subject::{
    Descriptor, Failure, FailureKind, Keys, Kind, Observed, Provided, Settings, Syntax,
};

use super::{
    LOG, config, descriptor, failure, host_settings, in_the_clear, observed, parsing, settings,
};

/// A key provider under judgement.
pub(super) struct KeyProviderSubject {
    component: KeyProviderComponent,
    imports: Vec<String>,
    /// What the component says of itself, to decode configurations by.
    descriptor: Result<HostDescriptor, CallError>,
}

impl KeyProviderSubject {
    pub(super) fn new(component: KeyProviderComponent, imports: Vec<String>) -> Self {
        let component = component.without_redaction();
        Self {
            descriptor: component.describe_unchecked(),
            component,
            imports,
        }
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

impl Subject for KeyProviderSubject {
    fn kind(&self) -> Kind {
        Kind::KeyProvider
    }

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
        let descriptor = self.descriptor.as_ref();
        let descriptor = descriptor.map_err(|error| failure(error.clone()))?;
        let text = match syntax {
            Syntax::Hcl => format!("encryption {{\n{text}\n}}\n"),
            Syntax::Json => format!("{{\"encryption\": {text}\n}}"),
        };
        let config = config(text, syntax)?;
        let id = &descriptor.id;
        let address = config
            .key_providers()
            .next()
            .filter(|address| address.kind() == id)
            .ok_or_else(|| parsing(format!("there is no key_provider \"{id}\" block")))?;
        let decoded = config.decode_alone(address, descriptor).map_err(parsing)?;
        settings(decoded, keys)
    }

    fn build(&self, settings: &Settings) -> Observed<()> {
        observed(|| self.component.build(&host_settings(settings)))
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

fn provided(provided: plugin::Provided) -> Provided {
    Provided {
        keys: in_the_clear(&provided.keys),
        metadata: provided.metadata,
        keeps_metadata: provided.keeps_metadata,
        fuel: provided.usage.fuel,
        memory: provided.usage.memory,
    }
}
