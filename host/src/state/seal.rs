//! The method that encrypts, at work. What no key opens is lost: before the
//! first file is given away, the new key is seen to come back, and what a program
//! encrypted is seen to open again for each file.

use std::sync::{Mutex, PoisonError};

use super::error::StateError;
use super::keys::{self, FreshKey};
use crate::config::decode::KeySource;
use crate::config::method::ExternalMethod;
use crate::crypto::aead;
use crate::external_method;
use crate::key_provider::KeyProviders;
use crate::key_provider::metadata::StoredMetadata;
use crate::secret::Secret;

/// Metadata, and what it belongs to.
type SealedData = (StoredMetadata, Vec<u8>);

pub(super) struct Seal<'a> {
    /// `method.TYPE.NAME`.
    pub(super) method: &'a str,
    pub(super) providers: &'a KeyProviders<'a>,
    pub(super) proven: &'a Mutex<bool>,
}

impl Seal<'_> {
    pub(super) fn aes_gcm(
        &self,
        plaintext: Secret,
        keys: &KeySource,
        aad: &[u8],
        fresh: Option<FreshKey>,
    ) -> Result<SealedData, StateError> {
        let fresh = self.fresh(Some(keys), fresh)?;
        let key = fresh.key.as_ref().ok_or(StateError::NoMethod)?;
        self.prove(|| self.returned(keys, &fresh).is_some_and(|back| back == *key))?;
        let sealed = aead::seal_in_place(key, plaintext.into_bytes(), aad);
        let sealed = sealed.map_err(|cause| StateError::Seal {
            method: self.method.to_owned(),
            cause,
        })?;
        Ok((fresh.metadata, sealed))
    }

    pub(super) fn external(
        &self,
        plaintext: &Secret,
        external: &ExternalMethod,
        fresh: Option<FreshKey>,
    ) -> Result<SealedData, StateError> {
        let fresh = self.fresh(external.keys.as_ref(), fresh)?;
        let failed = |cause| StateError::External {
            method: self.method.to_owned(),
            cause,
        };
        let key = fresh.key.as_ref();
        let command = &external.encrypt_command;
        let sealed = external_method::run(command, key, plaintext.expose()).map_err(failed)?;
        let opens = |key: Option<&Secret>| {
            let command = &external.decrypt_command;
            let opened = external_method::run(command, key, sealed.expose());
            opened.is_ok_and(|opened| opened == *plaintext)
        };
        let opens_again = || match &external.keys {
            None => opens(None),
            Some(keys) => {
                let back = self.returned(keys, &fresh);
                back.is_some_and(|back| opens(Some(&back)))
            }
        };
        // A program can fail at one file and not at others. The key that is at
        // hand saves deriving it again, but another one may decrypt.
        if !self.prove(opens_again)? && !opens(key) && !opens_again() {
            return Err(self.unproven());
        }
        Ok((fresh.metadata, std::mem::take(&mut *sealed.into_bytes())))
    }

    /// A new key, unless there is one already.
    fn fresh(
        &self,
        source: Option<&KeySource>,
        fresh: Option<FreshKey>,
    ) -> Result<FreshKey, StateError> {
        match (fresh, source) {
            (Some(fresh), _) => Ok(fresh),
            (None, None) => Ok(FreshKey {
                key: None,
                metadata: StoredMetadata::new(),
            }),
            (None, Some(source)) => {
                keys::fresh(source, self.providers).map_err(|cause| StateError::Keys {
                    method: self.method.to_owned(),
                    cause: Box::new(cause),
                })
            }
        }
    }

    /// The key that comes back by new metadata.
    fn returned(&self, source: &KeySource, fresh: &FreshKey) -> Option<Secret> {
        keys::stored(source, &fresh.metadata, false, self.providers)
            .ok()?
            .key
    }

    /// Others wait: nothing is given away before this is seen once. Returns
    /// whether it was seen now.
    fn prove(&self, opens_again: impl FnOnce() -> bool) -> Result<bool, StateError> {
        let mut proven = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        if *proven {
            return Ok(false);
        }
        if !opens_again() {
            return Err(self.unproven());
        }
        *proven = true;
        Ok(true)
    }

    fn unproven(&self) -> StateError {
        StateError::Unproven {
            method: self.method.to_owned(),
        }
    }
}
