//! One method, tried on one envelope.

use super::error::AttemptError;
use super::keys::{self, FreshKey, Origin, StoredKey};
use crate::config::decode::KeySource;
use crate::config::method::Method;
use crate::crypto::{CryptoError, aead};
use crate::external_method;
use crate::key_provider::KeyProviders;
use crate::key_provider::metadata::StoredMetadata;
use crate::secret::Secret;

/// What an attempt at an envelope goes by.
pub(super) struct Attempt<'a> {
    pub(super) metadata: &'a StoredMetadata,
    pub(super) providers: &'a KeyProviders<'a>,
    /// Whether the method's providers are to give a new key, too.
    pub(super) renew: bool,
    /// That new key.
    pub(super) fresh: Option<FreshKey>,
}

impl Attempt<'_> {
    /// Opens data. It is taken on success alone.
    pub(super) fn open(
        &mut self,
        method: &Method,
        data: &mut Vec<u8>,
    ) -> Result<Secret, AttemptError> {
        match method {
            Method::Unencrypted => Err(AttemptError::Unencrypted),
            Method::AesGcm { keys, aad } => {
                // Before a key is derived for nothing.
                if data.len() < aead::OVERHEAD {
                    return Err(AttemptError::Truncated { length: data.len() });
                }
                let (key, origin) = self.key(keys)?;
                aead::open_in_place(&key, data, aad).map_err(|error| match error {
                    CryptoError::AuthenticationFailed => AttemptError::WrongKey {
                        provider: origin.provider,
                        metadata_keys: origin.metadata_keys,
                    },
                    other => other.into(),
                })?;
                Ok(Secret::new(std::mem::take(data)))
            }
            Method::External(external) => {
                let key = match &external.keys {
                    None => None,
                    Some(keys) => Some(self.key(keys)?.0),
                };
                Ok(external_method::run(
                    &external.decrypt_command,
                    key.as_ref(),
                    data,
                )?)
            }
        }
    }

    fn key(&mut self, source: &KeySource) -> Result<(Secret, Origin), AttemptError> {
        let StoredKey { key, origin, fresh } =
            keys::stored(source, self.metadata, self.renew, self.providers)
                .map_err(|error| AttemptError::Keys(Box::new(error)))?;
        self.fresh = fresh;
        Ok((key.ok_or(AttemptError::NoDecryptionKey)?, origin))
    }
}
