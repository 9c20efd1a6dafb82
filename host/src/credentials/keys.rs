//! A key that stays the same: a key provider makes a new key at every call, and
//! its metadata brings back an earlier one. The host keeps that metadata beside
//! a helper's records, unauthenticated as everywhere.

use serde::{Deserialize, Serialize};

use super::CredentialsError;
use crate::config::reference::Address;
use crate::key_provider::KeyProviders;
use crate::key_provider::metadata::{Purpose, StoredMetadata};
use crate::secret::{KeyPair, Secret};
use crate::storage::Storage;

/// The version of what is stored.
const FORMAT_VERSION: u64 = 1;

/// Whether a key that there is not yet is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// Something will be sealed with it.
    New,
    /// Nothing will: without metadata there is nothing to open either.
    Existing,
}

/// The settled keys of one helper.
pub(super) struct SettledKeys<'a> {
    pub(super) helper: &'a str,
    pub(super) providers: &'a KeyProviders<'a>,
    pub(super) storage: &'a dyn Storage,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    format_version: u64,
    metadata: StoredMetadata,
}

impl SettledKeys<'_> {
    /// The key of a provider, as both keys of a pair.
    pub(super) fn keys(
        &self,
        address: &Address,
        keeping: Keeping,
    ) -> Result<KeyPair, CredentialsError> {
        if let Some(metadata) = self.stored(address)? {
            return self.earlier(address, metadata);
        }
        let output = self.provide(address, &Purpose::Encrypt)?;
        if keeping == Keeping::New && !self.keep(address, output.metadata)? {
            // Another process was first, and its key counts.
            if let Some(metadata) = self.stored(address)? {
                return self.earlier(address, metadata);
            }
        }
        Ok(pair(output.keys.encryption_key))
    }

    fn earlier(
        &self,
        address: &Address,
        metadata: StoredMetadata,
    ) -> Result<KeyPair, CredentialsError> {
        let keys = self.provide(address, &Purpose::Decrypt(metadata))?.keys;
        // To decrypt there is always one.
        Ok(pair(keys.decryption_key.unwrap_or(keys.encryption_key)))
    }

    fn provide(
        &self,
        address: &Address,
        purpose: &Purpose,
    ) -> Result<crate::key_provider::output::Output, CredentialsError> {
        self.providers
            .provide(address, purpose)
            .map_err(|cause| CredentialsError::Key {
                helper: self.helper.to_owned(),
                cause: Box::new(cause),
            })
    }

    fn stored(&self, address: &Address) -> Result<Option<StoredMetadata>, CredentialsError> {
        let bytes = self.storage.get(&self.bucket(), &address.to_string());
        let Some(bytes) = bytes.map_err(|cause| self.unstored(cause))? else {
            return Ok(None);
        };
        match serde_json::from_slice(&bytes) {
            Ok(Record {
                format_version: FORMAT_VERSION,
                metadata,
            }) => Ok(Some(metadata)),
            _ => Err(CredentialsError::Contract {
                helper: self.helper.to_owned(),
                breach: format!(
                    "the storage's record of {address} is damaged, or of another version; without it nothing can be opened: restore it from a backup"
                ),
            }),
        }
    }

    /// False: another process kept other metadata first.
    fn keep(&self, address: &Address, metadata: StoredMetadata) -> Result<bool, CredentialsError> {
        let record = Record {
            format_version: FORMAT_VERSION,
            metadata,
        };
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        self.storage
            .set_if_absent(&self.bucket(), &address.to_string(), &bytes)
            .map_err(|cause| self.unstored(cause))
    }

    /// Beside the buckets of components, and never one of them.
    fn bucket(&self) -> String {
        format!("keys/{}", self.helper)
    }

    fn unstored(&self, cause: crate::storage::StorageError) -> CredentialsError {
        CredentialsError::Storage {
            helper: self.helper.to_owned(),
            cause,
        }
    }
}

fn pair(key: Secret) -> KeyPair {
    KeyPair {
        encryption_key: key.clone(),
        decryption_key: Some(key),
    }
}
