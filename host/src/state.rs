//! Decrypting a state as OpenTofu does: the first method that opens it, then
//! the fallbacks.

use crate::config::Config;
use crate::config::decode::KeySource;
use crate::config::method::Method;
use crate::config::source::ConfigError;
use crate::config::target::TargetName;
use crate::crypto::{CryptoError, aead};
use crate::envelope::{Envelope, EnvelopeError, Payload};
use crate::external_method::{self, ExternalMethodError};
use crate::key_provider::metadata::Purpose;
use crate::key_provider::{KeyProviders, ProvideError};
use crate::secret::Secret;

/// A state, decrypted.
#[derive(Debug)]
pub struct Opened {
    /// The very bytes of the state.
    pub plaintext: Secret,
    /// The method that opened it: `method.TYPE.NAME`.
    pub method: String,
    /// Whether that was a fallback.
    pub by_fallback: bool,
}

/// A state stays closed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file is no state.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The state is not encrypted, and no `unencrypted` method allows that.
    #[error("it is not encrypted, and the configuration has no unencrypted method")]
    Plain,
    /// No method opens it.
    #[error("no method opens it: {}", list(attempts))]
    Closed {
        /// Every method that was tried, and why it failed.
        attempts: Vec<(String, AttemptError)>,
    },
}

/// Why one method does not open a state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// There are no keys.
    #[error(transparent)]
    Keys(Box<ProvideError>),
    /// There is no decryption key among keys that are written out.
    #[error("its keys have no decryption_key")]
    NoDecryptionKey,
    /// The key does not open it.
    #[error(transparent)]
    Decrypt(#[from] CryptoError),
    /// The program does not decrypt it.
    #[error(transparent)]
    External(#[from] ExternalMethodError),
    /// The method does not encrypt.
    #[error("the state is encrypted")]
    Unencrypted,
}

fn list(attempts: &[(String, AttemptError)]) -> String {
    let attempts: Vec<_> = attempts
        .iter()
        .map(|(method, error)| format!("{method}: {error}"))
        .collect();
    attempts.join("; ")
}

/// Decrypts a state.
///
/// # Errors
/// [`StateError`]; nothing is returned that was not authenticated.
pub fn decrypt(
    bytes: &[u8],
    config: &Config,
    providers: &KeyProviders<'_>,
) -> Result<Opened, StateError> {
    let methods = config.target(&TargetName::State)?.methods;
    let envelope = match Payload::parse(bytes)? {
        Payload::Encrypted(envelope) => envelope,
        Payload::Plain => {
            let plain = methods
                .iter()
                .position(|method| matches!(method.method, Method::Unencrypted))
                .ok_or(StateError::Plain)?;
            return Ok(Opened {
                plaintext: Secret::from(bytes),
                method: methods[plain].address.clone(),
                by_fallback: plain > 0,
            });
        }
    };
    let mut attempts = Vec::new();
    for (position, method) in methods.into_iter().enumerate() {
        match attempt(&envelope, &method.method, providers) {
            Ok(plaintext) => {
                envelope.verify(plaintext.expose())?;
                return Ok(Opened {
                    plaintext,
                    method: method.address,
                    by_fallback: position > 0,
                });
            }
            Err(error) => attempts.push((method.address, error)),
        }
    }
    Err(StateError::Closed { attempts })
}

fn attempt(
    envelope: &Envelope,
    method: &Method,
    providers: &KeyProviders<'_>,
) -> Result<Secret, AttemptError> {
    match method {
        Method::Unencrypted => Err(AttemptError::Unencrypted),
        Method::AesGcm { keys, aad } => {
            let key = decryption_key(envelope, keys, providers)?;
            let plaintext = aead::open(&key, &envelope.encrypted_data, aad)?;
            Ok(Secret::new(plaintext))
        }
        Method::External(external) => {
            let key = match &external.keys {
                None => None,
                Some(keys) => Some(decryption_key(envelope, keys, providers)?),
            };
            Ok(external_method::run(
                &external.decrypt_command,
                key.as_ref(),
                &envelope.encrypted_data,
            )?)
        }
    }
}

fn decryption_key(
    envelope: &Envelope,
    keys: &KeySource,
    providers: &KeyProviders<'_>,
) -> Result<Secret, AttemptError> {
    let key = match keys {
        KeySource::Literal(pair) => pair.decryption_key.clone(),
        KeySource::Provider(address) => {
            let purpose = Purpose::Decrypt(envelope.metadata.clone());
            let output = providers.provide(address, &purpose);
            let output = output.map_err(|error| AttemptError::Keys(Box::new(error)))?;
            output.keys.decryption_key
        }
    };
    key.ok_or(AttemptError::NoDecryptionKey)
}
