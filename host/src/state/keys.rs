//! Where a method's keys come from: written out, or of key providers.

use crate::config::decode::KeySource;
use crate::config::reference::Address;
use crate::key_provider::metadata::{Purpose, StoredMetadata};
use crate::key_provider::output::Output;
use crate::key_provider::{KeyProviders, ProvideError};
use crate::secret::Secret;

/// A key for one file alone, and the metadata that brings it back.
pub(super) struct FreshKey {
    /// `None`: the method takes no key.
    pub(super) key: Option<Secret>,
    pub(super) metadata: StoredMetadata,
}

/// The key of an existing file.
pub(super) struct StoredKey {
    /// `None` among keys that are written out: there is none to decrypt with.
    pub(super) key: Option<Secret>,
    pub(super) origin: Origin,
    /// Key providers give a new one along with the old, where it is wanted.
    pub(super) fresh: Option<FreshKey>,
}

/// Whose key it is, for errors.
#[derive(Default)]
pub(super) struct Origin {
    /// `None`: it is written out.
    pub(super) provider: Option<Address>,
    /// The metadata keys by which it was made.
    pub(super) metadata_keys: Vec<String>,
}

/// A new key, of a method that takes some.
pub(super) fn fresh(
    source: &KeySource,
    providers: &KeyProviders<'_>,
) -> Result<FreshKey, ProvideError> {
    match source {
        KeySource::Literal(pair) => Ok(FreshKey {
            key: Some(pair.encryption_key.clone()),
            metadata: StoredMetadata::new(),
        }),
        KeySource::Provider(address) => {
            let output = providers.provide(address, &Purpose::Encrypt)?;
            Ok(FreshKey::of(output))
        }
    }
}

/// The key that belongs to stored metadata. `renew`: the new key will be used,
/// too.
pub(super) fn stored(
    source: &KeySource,
    metadata: &StoredMetadata,
    renew: bool,
    providers: &KeyProviders<'_>,
) -> Result<StoredKey, ProvideError> {
    match source {
        KeySource::Literal(pair) => Ok(StoredKey {
            key: pair.decryption_key.clone(),
            origin: Origin::default(),
            fresh: None,
        }),
        KeySource::Provider(address) => {
            let purpose = if renew {
                Purpose::Decrypt(metadata.clone())
            } else {
                Purpose::DecryptAlone(metadata.clone())
            };
            let output = providers.provide(address, &purpose)?;
            Ok(StoredKey {
                key: output.keys.decryption_key.clone(),
                origin: Origin {
                    provider: Some(address.clone()),
                    metadata_keys: output.metadata.keys().cloned().collect(),
                },
                fresh: renew.then(|| FreshKey::of(output)),
            })
        }
    }
}

impl FreshKey {
    fn of(output: Output) -> Self {
        Self {
            key: Some(output.keys.encryption_key),
            metadata: output.metadata,
        }
    }
}
