use std::collections::BTreeMap;

use keyhost::credentials::host::HostName;
use keyhost::credentials::object::CredentialsObject;
use keyhost::descriptor::Descriptor as HostDescriptor;
use keyhost::plugins::credentials_helper::CredentialsHelperComponent;
use keyhost::plugins::error::CallError;
use keyhost::plugins::settings::Settings as HostSettings;
use keyhost::storage::Bucket;
use keyhost_compliance::Subject;
use keyhost_compliance::subject::{
    Descriptor, Failure, Helper, Keys, Kind, Observed, Settings, Syntax,
};

use super::{config, descriptor, failure, host_settings, observed, parsing, settings};

/// A credentials helper under judgement.
pub(super) struct HelperSubject {
    component: CredentialsHelperComponent,
    imports: Vec<String>,
    /// What the component says of itself, to decode configurations by.
    descriptor: Result<HostDescriptor, CallError>,
}

impl HelperSubject {
    pub(super) fn new(component: CredentialsHelperComponent, imports: Vec<String>) -> Self {
        let component = component.without_redaction();
        Self {
            descriptor: component.describe_unchecked(),
            component,
            imports,
        }
    }

    /// The component with an empty storage.
    fn with_storage(&self) -> (CredentialsHelperComponent, Bucket) {
        let bucket = super::empty_bucket(self.component.name());
        (self.component.with_bucket(bucket.clone()), bucket)
    }
}

impl Subject for HelperSubject {
    fn kind(&self) -> Kind {
        Kind::CredentialsHelper
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
        let config = config(text.to_owned(), syntax)?;
        let decoded = config.decode_credentials_helper_alone(&descriptor.id, descriptor);
        settings(decoded.map_err(parsing)?, keys)
    }

    fn build(&self, settings: &Settings) -> Observed<()> {
        let (component, _) = self.with_storage();
        observed(|| component.build(&host_settings(settings)))
    }

    fn helper<'a>(&'a self, settings: &'a Settings) -> Option<Box<dyn Helper + 'a>> {
        let (component, bucket) = self.with_storage();
        Some(Box::new(StoringHelper {
            component,
            settings: host_settings(settings),
            bucket,
        }))
    }
}

/// A helper and its storage.
struct StoringHelper {
    component: CredentialsHelperComponent,
    settings: HostSettings,
    bucket: Bucket,
}

fn host(name: &str) -> HostName {
    // The suite's hosts are in comparison form.
    name.parse().expect("a host of the suite")
}

impl Helper for StoringHelper {
    fn get(&self, name: &str) -> Observed<Option<Vec<u8>>> {
        observed(|| {
            let object = self.component.get(&self.settings, &host(name))?;
            Ok(object.map(|object| object.expose().to_vec()))
        })
    }

    fn store(&self, name: &str, object: &str) -> Observed<()> {
        let object = CredentialsObject::parse(object.as_bytes()).expect("an object of the suite");
        observed(|| self.component.store(&self.settings, &host(name), &object))
    }

    fn forget(&self, name: &str) -> Observed<()> {
        observed(|| self.component.forget(&self.settings, &host(name)))
    }

    fn hosts(&self) -> Observed<Vec<String>> {
        observed(|| self.component.hosts(&self.settings))
    }

    fn records(&self) -> Vec<(String, Vec<u8>)> {
        super::records(&self.bucket)
    }

    fn set_record(&self, key: &str, value: &[u8]) {
        // Memory does not fail.
        let _ = self.bucket.set(key, value);
    }
}
