use keyhost_guest::ephemeral_resource::Error;
use keyhost_guest::{Config, Secret};
use serde::Deserialize;

/// A day more than a year: no session lives as long.
const LONGEST: u64 = 366 * 86_400;

#[derive(Deserialize)]
struct Attributes {
    subject: String,
    issuer: String,
    audience: Option<String>,
    lifetime: u64,
    maximum_lifetime: u64,
}

/// A checked configuration.
pub(crate) struct Settings {
    pub(crate) key: Secret,
    pub(crate) subject: String,
    pub(crate) issuer: String,
    pub(crate) audience: Option<String>,
    /// In seconds.
    pub(crate) lifetime: u64,
    /// In seconds.
    pub(crate) maximum_lifetime: u64,
}

impl Settings {
    pub(crate) fn of(mut config: Config) -> Result<Self, Error> {
        let attributes: Attributes = config.attributes()?;
        let keys = config.require_keys("key")?;
        // RFC 7518, section 3.2: a key at least as long as the digest.
        if keys.encryption_key.length() < 32 {
            return Err(Error::invalid_configuration("key has less than 32 bytes"));
        }
        if attributes.subject.is_empty() {
            return Err(Error::invalid_configuration("subject is empty"));
        }
        if attributes.lifetime < 2 {
            return Err(Error::invalid_configuration(
                "lifetime is at least 2 seconds",
            ));
        }
        if attributes.maximum_lifetime < attributes.lifetime {
            return Err(Error::invalid_configuration(
                "maximum_lifetime is shorter than lifetime",
            ));
        }
        if attributes.maximum_lifetime > LONGEST {
            return Err(Error::invalid_configuration(
                "maximum_lifetime is longer than a year",
            ));
        }
        Ok(Self {
            key: keys.encryption_key,
            subject: attributes.subject,
            issuer: attributes.issuer,
            audience: attributes.audience,
            lifetime: attributes.lifetime,
            maximum_lifetime: attributes.maximum_lifetime,
        })
    }
}
