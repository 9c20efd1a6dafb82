//! What a plugin for keyhost is written with: the bindings of the contract in
//! `wit/`, a trait to implement for each kind and a macro that exports it. Key
//! providers find theirs here, the others in [`credentials_helper`] and
//! [`ephemeral_resource`].
//!
//! Build for `wasm32-unknown-unknown` and turn the module into a component
//! with `keyhost componentize`.

#[cfg(target_arch = "wasm32")]
mod allocator;

#[cfg(target_arch = "wasm32")]
pub use allocator::CallAllocator;

pub mod credentials_helper;
pub mod ephemeral_resource;

#[doc(hidden)]
pub mod __bindings {
    #![allow(missing_docs, unused_qualifications)]

    wit_bindgen::generate!({
        path: "../../wit",
        world: "key-provider-plugin",
        pub_export_macro: true,
        default_bindings_module: "keyhost_guest::__bindings",
    });
}

use __bindings::exports::keyhost::plugin::key_provider as exported;

pub use __bindings::keyhost::plugin::config::{
    Attribute, AttributeType, Config, Descriptor, KeyPair,
};
pub use __bindings::keyhost::plugin::secrets::{AccessError, Secret};
pub use __bindings::keyhost::plugin::{crypto, log};
pub use exported::Error;

/// A key provider: the contract's `describe`, `build` and `provider`.
pub trait KeyProvider: Sized + 'static {
    /// Whether the provider returns metadata and needs it back to decrypt.
    const KEEPS_METADATA: bool;

    /// Id, version and attributes.
    fn describe() -> Descriptor;

    /// Checks a configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfiguration`] when the user's values are wrong.
    fn build(config: Config) -> Result<Self, Error>;

    /// Makes the keys and the new metadata. `metadata` is a JSON object that
    /// anybody may have written.
    ///
    /// # Errors
    /// [`Error::InvalidMetadata`] when the stored metadata is damaged or
    /// another provider's; [`Error::KeyProviderFailure`] for all else.
    fn provide(&self, metadata: Option<String>) -> Result<(KeyPair, Option<String>), Error>;
}

/// Adapts a [`KeyProvider`] to the generated traits.
#[doc(hidden)]
pub struct Adapter<P>(P);

impl<P: KeyProvider> exported::Guest for Adapter<P> {
    type Provider = Adapter<P>;

    fn describe() -> Descriptor {
        P::describe()
    }

    fn build(config: Config) -> Result<exported::Provider, Error> {
        Ok(exported::Provider::new(Adapter(P::build(config)?)))
    }
}

impl<P: KeyProvider> exported::GuestProvider for Adapter<P> {
    fn keeps_metadata(&self) -> bool {
        P::KEEPS_METADATA
    }

    fn provide(&self, metadata: Option<String>) -> Result<(KeyPair, Option<String>), Error> {
        self.0.provide(metadata)
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

/// An optional attribute without a default.
pub fn attribute(name: &str, kind: AttributeType, description: &str) -> Attribute {
    Attribute {
        name: name.to_owned(),
        kind,
        required: false,
        sensitive: false,
        default: None,
        description: description.to_owned(),
    }
}

/// A text that reaches the component as a secret handle.
pub fn sensitive_attribute(name: &str, description: &str) -> Attribute {
    Attribute {
        sensitive: true,
        ..attribute(name, AttributeType::String, description)
    }
}

impl Config {
    /// Takes the handle of a sensitive attribute, if the user gave it.
    pub fn take_secret(&mut self, name: &str) -> Option<Secret> {
        take(&mut self.secrets, name)
    }

    /// Takes the handles of a sensitive map, by key.
    pub fn take_secrets(&mut self, name: &str) -> Vec<(String, Secret)> {
        let prefix = format!("{name}.");
        let all = core::mem::take(&mut self.secrets);
        let mut taken = Vec::new();
        for (name, secret) in all {
            match name.strip_prefix(&prefix) {
                Some(key) => taken.push((key.to_owned(), secret)),
                None => self.secrets.push((name, secret)),
            }
        }
        taken
    }

    /// Takes the keys of a `key` attribute, if the user gave it.
    pub fn take_keys(&mut self, name: &str) -> Option<KeyPair> {
        take(&mut self.keys, name)
    }
}

fn take<T>(entries: &mut Vec<(String, T)>, name: &str) -> Option<T> {
    let position = entries.iter().position(|(key, _)| key == name)?;
    Some(entries.swap_remove(position).1)
}

/// An [`Error::InvalidConfiguration`] from any message.
pub fn invalid_configuration(message: impl ToString) -> Error {
    Error::InvalidConfiguration(message.to_string())
}

/// An [`Error::InvalidMetadata`] from any message.
pub fn invalid_metadata(message: impl ToString) -> Error {
    Error::InvalidMetadata(message.to_string())
}

impl From<crypto::CryptoError> for Error {
    fn from(error: crypto::CryptoError) -> Self {
        Error::KeyProviderFailure(crypto_text(error))
    }
}

fn crypto_text(error: crypto::CryptoError) -> String {
    match error {
        crypto::CryptoError::InvalidParameter(text) | crypto::CryptoError::LimitExceeded(text) => {
            text
        }
        crypto::CryptoError::AuthenticationFailed => "authentication failed".to_owned(),
    }
}
