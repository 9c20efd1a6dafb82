//! A key provider without faults, to be spoiled in one place: it derives a key
//! from its secret with a salt that it keeps in its metadata.

use keyhost_guest::crypto::{HashFunction, hkdf, random_bytes};
use keyhost_guest::{
    AttributeType, Config, Descriptor, Error, KeyPair, Metadata as _, Secret, attribute,
    sensitive_attribute,
};
use serde::{Deserialize, Serialize};

pub use crate::Answer;

/// A configured provider.
pub struct State {
    /// The secret of the configuration.
    pub key: Secret,
    /// The length of the keys, in bytes.
    pub size: u32,
}

/// Every part can be replaced by a faulty one.
pub trait Sample: Sized + 'static {
    /// The description.
    fn describe() -> Descriptor {
        descriptor()
    }

    /// The configuration's check.
    fn build(config: Config) -> Result<State, Error> {
        build(config)
    }

    /// The keys.
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        provide(state, metadata)
    }
}

/// Exports a [`Sample`].
#[macro_export]
macro_rules! sample {
    ($sample:ty) => {
        struct Exported($crate::sample::State);

        impl ::keyhost_guest::KeyProvider for Exported {
            type Metadata = $crate::RawMetadata;

            fn describe() -> ::keyhost_guest::Descriptor {
                <$sample as $crate::sample::Sample>::describe()
            }

            fn build(config: ::keyhost_guest::Config) -> Result<Self, ::keyhost_guest::Error> {
                <$sample as $crate::sample::Sample>::build(config).map(Self)
            }

            fn provide(
                &self,
                metadata: Option<$crate::RawMetadata>,
            ) -> Result<(::keyhost_guest::KeyPair, $crate::RawMetadata), ::keyhost_guest::Error>
            {
                let provide = |text| <$sample as $crate::sample::Sample>::provide(&self.0, text);
                $crate::RawMetadata::answer(provide, metadata)
            }
        }

        ::keyhost_guest::export_key_provider!(Exported);
    };
}

/// The description of the sample.
pub fn descriptor() -> Descriptor {
    Descriptor {
        id: "sample".to_owned(),
        version: "1.0.0".to_owned(),
        attributes: vec![
            sensitive_attribute("key", "At least 16 bytes.").required(),
            attribute("other", AttributeType::Key, "Not used."),
            attribute("size", AttributeType::Number, "From 1 to 64 bytes.").with_default(32),
        ],
    }
}

#[derive(Deserialize)]
struct Attributes {
    size: u32,
}

/// The check of the sample's configuration.
///
/// # Errors
/// [`Error::InvalidConfiguration`].
pub fn build(mut config: Config) -> Result<State, Error> {
    let attributes: Attributes = config.attributes()?;
    if !(1..=64).contains(&attributes.size) {
        return Err(Error::invalid_configuration("size is not from 1 to 64"));
    }
    let key = config.require_secret("key")?;
    if key.length() < 16 {
        return Err(Error::invalid_configuration("key is shorter than 16 bytes"));
    }
    Ok(State {
        key,
        size: attributes.size,
    })
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    salt: String,
}

/// The salt in metadata.
///
/// # Errors
/// [`Error::InvalidMetadata`].
pub fn salt(metadata: &str) -> Result<Vec<u8>, Error> {
    let Metadata { salt } = Metadata::read(metadata).map_err(Error::InvalidMetadata)?;
    if salt.len() != 32 || !salt.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(Error::invalid_metadata("salt is not 32 hexadecimal digits"));
    }
    let digits = |at: usize| u8::from_str_radix(&salt[at..at + 2], 16);
    (0..16)
        .map(|byte| digits(2 * byte).map_err(Error::invalid_metadata))
        .collect()
}

/// The metadata of a salt.
pub fn metadata(salt: &[u8]) -> String {
    let digits: Vec<_> = salt.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"salt\":\"{}\"}}", digits.concat())
}

/// The key of a salt.
///
/// # Errors
/// What the host answers.
pub fn derive(state: &State, salt: &[u8]) -> Result<Secret, Error> {
    Ok(hkdf(
        &state.key,
        salt,
        b"sample",
        state.size,
        HashFunction::Sha256,
    )?)
}

/// The sample's keys.
///
/// # Errors
/// [`Error::InvalidMetadata`], and what the host answers.
pub fn provide(state: &State, stored: Option<String>) -> Answer {
    let fresh = random_bytes(16)?;
    let old = stored.as_deref().map(salt).transpose()?;
    let keys = KeyPair {
        encryption_key: derive(state, &fresh)?,
        decryption_key: old.map(|salt| derive(state, &salt)).transpose()?,
    };
    Ok((keys, Some(metadata(&fresh))))
}

/// The bytes of a secret, for samples that leak.
///
/// # Errors
/// [`Error::KeyProviderFailure`] without the grant.
pub fn reveal(secret: &Secret) -> Result<Vec<u8>, Error> {
    secret
        .reveal()
        .map_err(|_| Error::KeyProviderFailure("reveal is not granted".to_owned()))
}
