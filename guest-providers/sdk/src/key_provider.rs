//! What a key provider is written with.

use crate::__bindings::exports::keyhost::plugin::key_provider as exported;
use crate::{
    AccessError, Config, Descriptor, InvalidConfiguration, KeyPair, Metadata, access_text,
    crypto::CryptoError, crypto_text,
};

pub use exported::Error;

/// A key provider: the contract's `describe`, `build` and `provider`.
pub trait KeyProvider: Sized + 'static {
    /// What is stored beside what is encrypted, and comes back to decrypt it: a
    /// type with serde's `Serialize` and `Deserialize`, whose JSON is an
    /// object, or [`NoMetadata`](crate::NoMetadata).
    type Metadata: Metadata;

    /// Id, version and attributes.
    fn describe() -> Descriptor;

    /// Checks a configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfiguration`] when the user's values are wrong.
    fn build(config: Config) -> Result<Self, Error>;

    /// Makes the keys and the new metadata.
    ///
    /// `metadata` has the right form, and anybody may have written it. Without
    /// it there is nothing to decrypt, and no decryption key.
    ///
    /// # Errors
    /// [`Error::InvalidMetadata`] when the stored metadata is damaged or
    /// another provider's; [`Error::KeyProviderFailure`] for all else.
    fn provide(&self, metadata: Option<Self::Metadata>)
    -> Result<(KeyPair, Self::Metadata), Error>;
}

/// Adapts a [`KeyProvider`] to the generated traits.
#[doc(hidden)]
pub struct Adapter<P>(P);

impl<P: KeyProvider> exported::Guest for Adapter<P> {
    type Provider = Adapter<P>;

    fn describe() -> Descriptor {
        crate::log_panics();
        P::describe()
    }

    fn build(config: Config) -> Result<exported::Provider, Error> {
        crate::log_panics();
        Ok(exported::Provider::new(Adapter(P::build(config)?)))
    }
}

impl<P: KeyProvider> exported::GuestProvider for Adapter<P> {
    fn keeps_metadata(&self) -> bool {
        P::Metadata::KEPT
    }

    fn provide(&self, metadata: Option<String>) -> Result<(KeyPair, Option<String>), Error> {
        let stored = metadata
            .map(|text| P::Metadata::read(&text).map_err(Error::InvalidMetadata))
            .transpose()?;
        let (keys, fresh) = self.0.provide(stored)?;
        Ok((keys, fresh.write().map_err(Error::KeyProviderFailure)?))
    }
}

/// Exports a type that implements [`KeyProvider`] as this component's key
/// provider.
#[macro_export]
macro_rules! export_key_provider {
    ($provider:ty) => {
        type ExportedKeyProvider = $crate::Adapter<$provider>;
        $crate::__bindings::export!(ExportedKeyProvider with_types_in $crate::__bindings);
    };
}

impl Error {
    /// [`Error::InvalidConfiguration`] from any message.
    pub fn invalid_configuration(message: impl ToString) -> Self {
        Self::InvalidConfiguration(message.to_string())
    }

    /// [`Error::InvalidMetadata`] from any message.
    pub fn invalid_metadata(message: impl ToString) -> Self {
        Self::InvalidMetadata(message.to_string())
    }

    /// [`Error::KeyProviderFailure`] from any message.
    pub fn failure(message: impl ToString) -> Self {
        Self::KeyProviderFailure(message.to_string())
    }
}

impl From<InvalidConfiguration> for Error {
    fn from(InvalidConfiguration(text): InvalidConfiguration) -> Self {
        Self::InvalidConfiguration(text)
    }
}

impl From<CryptoError> for Error {
    fn from(error: CryptoError) -> Self {
        Self::KeyProviderFailure(crypto_text(error))
    }
}

impl From<AccessError> for Error {
    fn from(error: AccessError) -> Self {
        Self::KeyProviderFailure(access_text(error))
    }
}
