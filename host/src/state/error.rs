//! Why a state or plan stays as it is.

use crate::config::reference::Address;
use crate::config::source::ConfigError;
use crate::crypto::{CryptoError, aead};
use crate::envelope::EnvelopeError;
use crate::external_method::ExternalMethodError;
use crate::key_provider::ProvideError;
use crate::key_provider::metadata::{MetadataError, listed};

/// A state or plan is not opened or not sealed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file is no state or plan, or what is inside is not.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// It is not encrypted, and no `unencrypted` method allows that.
    #[error("it is not encrypted, and the configuration has no unencrypted method")]
    Plain,
    /// The target has no method.
    #[error("the configuration has no method for it")]
    NoMethod,
    /// No method opens it.
    #[error(
        "no method opens it: {}{}",
        list(attempts),
        have(attempts, metadata_keys)
    )]
    Closed {
        /// Every method that was tried, and why it failed.
        attempts: Vec<(String, AttemptError)>,
        /// The metadata keys that the file has.
        metadata_keys: Vec<String>,
    },
    /// There is no key to seal with.
    #[error("{method} has no key: {cause}")]
    Keys {
        /// The method.
        method: String,
        /// Why.
        cause: Box<ProvideError>,
    },
    /// The key does not seal.
    #[error("{method} does not encrypt it: {cause}")]
    Seal {
        /// The method.
        method: String,
        /// Why.
        cause: CryptoError,
    },
    /// The program does not encrypt.
    #[error("{method} does not encrypt it: {cause}")]
    External {
        /// The method.
        method: String,
        /// Why.
        cause: ExternalMethodError,
    },
    /// What is sealed would not open again.
    #[error(
        "{method} is not safe to encrypt with: what it just encrypted, it does not decrypt again"
    )]
    Unproven {
        /// The method.
        method: String,
    },
}

/// Why one method does not open a state or plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// There are no keys.
    #[error(transparent)]
    Keys(Box<ProvideError>),
    /// There is no decryption key among keys that are written out.
    #[error("its keys have no decryption_key")]
    NoDecryptionKey,
    /// The data does not authenticate.
    #[error("{} does not open it: the key or the aad is wrong, or the data was changed", origin(provider.as_ref(), metadata_keys))]
    WrongKey {
        /// Where the key came from; `None` where it is written out.
        provider: Option<Address>,
        /// The metadata keys by which it was made.
        metadata_keys: Vec<String>,
    },
    /// There is less data than any method makes.
    #[error("the encrypted data is damaged: of at least {least} bytes there are {length}", least = aead::OVERHEAD)]
    Truncated {
        /// How many bytes there are.
        length: usize,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Decrypt(#[from] CryptoError),
    /// The program does not decrypt it.
    #[error(transparent)]
    External(#[from] ExternalMethodError),
    /// The program decrypted it to something else.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The method does not encrypt.
    #[error("it is encrypted")]
    Unencrypted,
}

fn list(attempts: &[(String, AttemptError)]) -> String {
    let attempts: Vec<_> = attempts
        .iter()
        .map(|(method, error)| format!("{method}: {error}"))
        .collect();
    attempts.join("; ")
}

/// Which metadata there is, unless that was told already.
fn have(attempts: &[(String, AttemptError)], keys: &[String]) -> String {
    let told = attempts.iter().any(|(_, error)| match error {
        AttemptError::Keys(error) => matches!(
            **error,
            ProvideError::Metadata {
                cause: MetadataError::Missing { .. },
                ..
            }
        ),
        _ => false,
    });
    if told || keys.is_empty() {
        return String::new();
    }
    format!(" (the file has metadata under {})", listed(keys))
}

fn origin(provider: Option<&Address>, keys: &[String]) -> String {
    match provider {
        None => "the key that is written out".to_owned(),
        Some(address) if keys.is_empty() => format!("the key of {address}"),
        Some(address) => format!("the key of {address} by the metadata {}", listed(keys)),
    }
}
