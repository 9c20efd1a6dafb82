//! A key that stays the same: a key provider makes a new key at every call, and
//! its metadata brings back an earlier one. The host keeps that metadata in the
//! storage, with a proof that only the key's owner can make: whoever writes the
//! storage can weaken no key, and another passphrase is noticed.

use serde::{Deserialize, Serialize};

use super::metadata::{Purpose, StoredMetadata};
use super::{KeyProviders, ProvideError};
use crate::config::reference::Address;
use crate::crypto::{HashFunction, mac};
use crate::secret::{KeyPair, Secret};
use crate::storage::{FirstWrite, Storage, StorageError};

/// The version of what is stored.
const FORMAT_VERSION: u64 = 1;

/// Why there is no settled key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettledKeyError {
    /// The key provider gives none.
    #[error(transparent)]
    Provide(Box<ProvideError>),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The key is not the one that was kept.
    #[error(
        "the key of {address} is not the one that was kept: the passphrase is another one, or the storage was changed; another key needs a key provider of another name"
    )]
    OtherKey {
        /// The key provider.
        address: Address,
    },
    /// What the storage has of it cannot be read.
    #[error(
        "the storage's record of {address} is damaged, or of another version; without it nothing can be opened: restore it from a backup"
    )]
    Damaged {
        /// The key provider.
        address: Address,
    },
}

impl From<ProvideError> for SettledKeyError {
    fn from(error: ProvideError) -> Self {
        Self::Provide(Box::new(error))
    }
}

/// The settled keys of one user: a helper or an ephemeral resource.
pub(crate) struct SettledKeys<'a> {
    /// The name that the keys are kept under.
    pub(crate) user: &'a str,
    pub(crate) providers: &'a KeyProviders<'a>,
    pub(crate) storage: &'a dyn Storage,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    format_version: u64,
    metadata: StoredMetadata,
    /// In hexadecimal.
    proof: String,
}

/// What a proof is made of, after the purpose.
#[derive(Serialize)]
struct Proven<'a> {
    user: &'a str,
    address: String,
    metadata: &'a StoredMetadata,
}

/// What separates proofs from whatever else is made with the key.
const PURPOSE: &[u8] = b"keyhost settled key 1";

impl SettledKeys<'_> {
    /// The key of a provider, as both keys of a pair. A new one has to be kept
    /// before anything is made with it: what comes with it does that.
    pub(crate) fn keys(
        &self,
        address: &Address,
    ) -> Result<(KeyPair, Option<FirstWrite>), SettledKeyError> {
        if let Some(record) = self.stored(address)? {
            return Ok((self.earlier(address, record)?, None));
        }
        let output = self.providers.provide(address, &Purpose::Encrypt)?;
        let key = &output.keys.encryption_key;
        let record = Record {
            format_version: FORMAT_VERSION,
            proof: hex::encode(self.proof(address, &output.metadata, key)?),
            metadata: output.metadata,
        };
        let first = FirstWrite {
            bucket: self.bucket(),
            key: address.to_string(),
            value: serde_json::to_vec(&record).unwrap_or_default(),
        };
        Ok((pair(output.keys.encryption_key), Some(first)))
    }

    /// As [`SettledKeys::keys`], with a new key kept at once.
    pub(crate) fn kept_keys(&self, address: &Address) -> Result<KeyPair, SettledKeyError> {
        let (pair, first) = self.keys(address)?;
        let Some(first) = first else { return Ok(pair) };
        if first.write(self.storage)? {
            return Ok(pair);
        }
        // Another process was first, and its key counts.
        match self.stored(address)? {
            Some(record) => self.earlier(address, record),
            None => Err(StorageError::Overtaken { key: first.key }.into()),
        }
    }

    fn earlier(&self, address: &Address, record: Record) -> Result<KeyPair, SettledKeyError> {
        let purpose = Purpose::Decrypt(record.metadata.clone());
        let keys = self.providers.provide(address, &purpose)?.keys;
        // To decrypt there is always one.
        let key = keys.decryption_key.unwrap_or(keys.encryption_key);
        let proof = Secret::new(self.proof(address, &record.metadata, &key)?);
        if Secret::new(hex::decode(&record.proof).unwrap_or_default()) != proof {
            return Err(SettledKeyError::OtherKey {
                address: address.clone(),
            });
        }
        Ok(pair(key))
    }

    /// HMAC-SHA-256 over all that the key is to stay the same for.
    fn proof(
        &self,
        address: &Address,
        metadata: &StoredMetadata,
        key: &Secret,
    ) -> Result<Vec<u8>, SettledKeyError> {
        let damaged = || SettledKeyError::Damaged {
            address: address.clone(),
        };
        let proven = serde_json::to_vec(&Proven {
            user: self.user,
            address: address.to_string(),
            metadata,
        });
        let message = proven.map_err(|_| damaged())?;
        mac::hkdf(key, &[], PURPOSE, 32, HashFunction::Sha256)
            .and_then(|key| mac::hmac(&key, &message, HashFunction::Sha256))
            .map_err(|_| damaged())
    }

    fn stored(&self, address: &Address) -> Result<Option<Record>, SettledKeyError> {
        let Some(bytes) = self.storage.get(&self.bucket(), &address.to_string())? else {
            return Ok(None);
        };
        match serde_json::from_slice::<Record>(&bytes) {
            Ok(record) if record.format_version == FORMAT_VERSION => Ok(Some(record)),
            _ => Err(SettledKeyError::Damaged {
                address: address.clone(),
            }),
        }
    }

    /// Beside the buckets of components, and never one of them.
    fn bucket(&self) -> String {
        format!("keys/{}", self.user)
    }
}

fn pair(key: Secret) -> KeyPair {
    KeyPair {
        encryption_key: key.clone(),
        decryption_key: Some(key),
    }
}
