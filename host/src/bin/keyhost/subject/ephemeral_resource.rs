use std::collections::BTreeMap;

use keyhost::clock::WallClock;
use keyhost::descriptor::Description;
use keyhost::ephemeral::outputs;
use keyhost::plugins::ephemeral_resource::{EphemeralResourceComponent, Lease as HostLease};
use keyhost::plugins::error::CallError;
use keyhost::plugins::settings::Settings as HostSettings;
use keyhost::storage::Bucket;
use keyhost_compliance::Subject;
use keyhost_compliance::subject::{
    Descriptor, Ephemeral, Failure, Keys, Kind, Lease, Observed, Opened, Settings, Syntax,
};

use super::{config, descriptor, failure, host_settings, observed, parsing, settings};

/// When a standing clock begins: any time that is not near zero.
const START: u64 = 1_800_000_000;

/// An ephemeral resource under judgement.
pub(super) struct EphemeralSubject {
    component: EphemeralResourceComponent,
    imports: Vec<String>,
    /// What the component says of itself, to decode configurations by.
    description: Result<Description, CallError>,
}

impl EphemeralSubject {
    pub(super) fn new(component: EphemeralResourceComponent, imports: Vec<String>) -> Self {
        let component = component.without_redaction();
        Self {
            description: component.describe_unchecked(),
            component,
            imports,
        }
    }

    /// The component with an empty storage.
    fn with_storage(&self) -> (EphemeralResourceComponent, Bucket) {
        let bucket = super::empty_bucket(self.component.name());
        (self.component.with_bucket(bucket.clone()), bucket)
    }

    fn description(&self) -> Result<&Description, Failure> {
        let description = self.description.as_ref();
        description.map_err(|error| failure(error.clone()))
    }
}

impl Subject for EphemeralSubject {
    fn kind(&self) -> Kind {
        Kind::EphemeralResource
    }

    fn name(&self) -> &str {
        self.component.name()
    }

    fn imports(&self) -> &[String] {
        &self.imports
    }

    fn describe(&self) -> Result<Descriptor, Failure> {
        let described = self.component.describe_unchecked();
        described
            .map(|description| descriptor(description.descriptor))
            .map_err(failure)
    }

    fn breach(&self, _: &Descriptor) -> Option<String> {
        let description = self.description.as_ref().ok()?;
        description.check().err().map(|breach| breach.to_string())
    }

    fn decode(
        &self,
        syntax: Syntax,
        text: &str,
        keys: &BTreeMap<String, Keys>,
    ) -> Result<Settings, Failure> {
        let descriptor = &self.description()?.descriptor;
        let config = config(text.to_owned(), syntax)?;
        let id = &descriptor.id;
        let address = config
            .ephemeral_resources()
            .next()
            .filter(|address| address.kind() == id)
            .ok_or_else(|| parsing(format!("there is no ephemeral_resource \"{id}\" block")))?;
        let decoded = config.decode_ephemeral_resource_alone(address, descriptor);
        settings(decoded.map_err(parsing)?, keys)
    }

    fn build(&self, settings: &Settings) -> Observed<()> {
        let (component, _) = self.with_storage();
        observed(|| component.build(&host_settings(settings)))
    }

    fn ephemeral<'a>(&'a self, settings: &'a Settings) -> Option<Box<dyn Ephemeral + 'a>> {
        let (component, bucket) = self.with_storage();
        let clock = WallClock::standing(START);
        Some(Box::new(Lender {
            component: component.with_clock(clock.clone()),
            description: self.description.as_ref().ok()?,
            settings: host_settings(settings),
            bucket,
            clock,
        }))
    }
}

/// A resource with its storage and its clock.
struct Lender<'a> {
    component: EphemeralResourceComponent,
    description: &'a Description,
    settings: HostSettings,
    bucket: Bucket,
    clock: WallClock,
}

fn lease(lease: HostLease) -> Lease {
    Lease {
        private: lease.private,
        renew_at: lease.renew_at,
    }
}

impl Ephemeral for Lender<'_> {
    fn open(&self) -> Observed<Opened> {
        observed(|| {
            let opened = self.component.open(&self.settings)?;
            let (values, secrets) = (opened.values.clone(), opened.secrets.clone());
            let in_the_clear = secrets.iter();
            Ok(Opened {
                secrets: in_the_clear
                    .map(|(name, secret)| (name.clone(), secret.expose().to_vec()))
                    .collect(),
                breach: outputs::check(self.description, values, secrets).err(),
                values: opened.values,
                lease: lease(opened.lease),
            })
        })
    }

    fn renew(&self, private: &[u8]) -> Observed<Lease> {
        observed(|| self.component.renew(&self.settings, private).map(lease))
    }

    fn close(&self, private: &[u8]) -> Observed<()> {
        observed(|| self.component.close(&self.settings, private))
    }

    fn records(&self) -> Vec<(String, Vec<u8>)> {
        super::records(&self.bucket)
    }

    fn now(&self) -> u64 {
        self.clock.seconds()
    }

    fn set_now(&self, seconds: u64) {
        self.clock.set(seconds);
    }
}
