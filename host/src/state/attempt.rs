//! One method, tried on one envelope.

use super::error::AttemptError;
use crate::config::decode::KeySource;
use crate::config::method::Method;
use crate::crypto::{CryptoError, aead};
use crate::key_provider::KeyProviders;
use crate::key_provider::metadata::{Purpose, StoredMetadata};
use crate::key_provider::output::Output;
use crate::secret::Secret;

/// Opens the data in its place; on an error it stays as it was. Also returns
/// what the method's providers gave, if it has any and they did.
pub(super) fn open(
    method: &Method,
    metadata: &StoredMetadata,
    data: &mut Vec<u8>,
    providers: &KeyProviders<'_>,
) -> (Option<Output>, Result<(), AttemptError>) {
    let Method::AesGcm { keys, aad } = method else {
        return (None, Err(AttemptError::Unencrypted));
    };
    match keys {
        KeySource::Literal(pair) => {
            let key = pair.decryption_key.as_ref();
            (None, decrypt(key, data, aad, wrong_key_written_out))
        }
        KeySource::Provider(address) => {
            // Before a key is derived for nothing.
            if let Err(error) = check_length(data) {
                return (None, Err(error));
            }
            let purpose = Purpose::Decrypt(metadata.clone());
            let output = match providers.provide(address, &purpose) {
                Ok(output) => output,
                Err(error) => return (None, Err(AttemptError::Keys(Box::new(error)))),
            };
            let key = output.keys.decryption_key.as_ref();
            let result = decrypt(key, data, aad, || AttemptError::WrongKey {
                provider: Some(address.clone()),
                metadata_keys: output.metadata.keys().cloned().collect(),
            });
            (Some(output), result)
        }
    }
}

fn wrong_key_written_out() -> AttemptError {
    AttemptError::WrongKey {
        provider: None,
        metadata_keys: Vec::new(),
    }
}

fn decrypt(
    key: Option<&Secret>,
    data: &mut Vec<u8>,
    aad: &[u8],
    wrong_key: impl FnOnce() -> AttemptError,
) -> Result<(), AttemptError> {
    check_length(data)?;
    let key = key.ok_or(AttemptError::NoDecryptionKey)?;
    aead::open_in_place(key, data, aad).map_err(|error| match error {
        CryptoError::AuthenticationFailed => wrong_key(),
        other => other.into(),
    })
}

fn check_length(data: &[u8]) -> Result<(), AttemptError> {
    if data.len() < aead::OVERHEAD {
        return Err(AttemptError::Truncated { length: data.len() });
    }
    Ok(())
}
