//! What plugins for keyhost are written with: the bindings of the contract in
//! `wit/`, a trait to implement for each kind of plugin, and a macro that
//! exports it.
//!
//! Key providers find theirs here ([`KeyProvider`]), the others in
//! [`credentials_helper`] and [`ephemeral_resource`]. Nothing of the contract is
//! hidden: [`crypto`], [`secrets`], [`log`] and the types of [`config`] are what
//! the host has.
//!
//! # A key provider
//!
//! ```
//! use keyhost_guest::crypto::{HashFunction, hkdf, random_bytes};
//! use keyhost_guest::{
//!     Config, Descriptor, Error, KeyPair, KeyProvider, Secret, sensitive_attribute,
//! };
//! use serde::{Deserialize, Serialize};
//!
//! /// Derives keys from a secret that it never sees.
//! struct Derived {
//!     secret: Secret,
//! }
//!
//! /// Kept beside what is encrypted, where anybody can change it.
//! #[derive(Serialize, Deserialize)]
//! struct Salt {
//!     salt: [u8; 16],
//! }
//!
//! impl Derived {
//!     fn key(&self, salt: &Salt) -> Result<Secret, Error> {
//!         Ok(hkdf(&self.secret, &salt.salt, b"derived", 32, HashFunction::Sha256)?)
//!     }
//! }
//!
//! impl KeyProvider for Derived {
//!     type Metadata = Salt;
//!
//!     fn describe() -> Descriptor {
//!         Descriptor {
//!             id: "derived".to_owned(),
//!             version: env!("CARGO_PKG_VERSION").to_owned(),
//!             attributes: vec![sensitive_attribute("secret", "At least 16 bytes.").required()],
//!         }
//!     }
//!
//!     fn build(mut config: Config) -> Result<Self, Error> {
//!         let secret = config.require_secret("secret")?;
//!         if secret.length() < 16 {
//!             return Err(Error::invalid_configuration("secret is shorter than 16 bytes"));
//!         }
//!         Ok(Self { secret })
//!     }
//!
//!     fn provide(&self, stored: Option<Salt>) -> Result<(KeyPair, Salt), Error> {
//!         let mut fresh = Salt { salt: [0; 16] };
//!         fresh.salt.copy_from_slice(&random_bytes(16)?);
//!         let keys = KeyPair {
//!             encryption_key: self.key(&fresh)?,
//!             decryption_key: stored.map(|stored| self.key(&stored)).transpose()?,
//!         };
//!         Ok((keys, fresh))
//!     }
//! }
//!
//! keyhost_guest::export_key_provider!(Derived);
//! # fn main() {}
//! ```
//!
//! Build the crate as a `cdylib` for `wasm32-unknown-unknown`, and turn the
//! module into a component with `keyhost componentize`.

#[cfg(target_arch = "wasm32")]
mod allocator;
mod attributes;
mod fields;
mod key_provider;
mod metadata;

pub mod credentials_helper;
pub mod ephemeral_resource;

#[cfg(target_arch = "wasm32")]
pub use allocator::CallAllocator;
pub use attributes::{InvalidConfiguration, attribute, sensitive_attribute};
pub use key_provider::{Error, KeyProvider};
pub use metadata::{Metadata, NoMetadata};

pub use __bindings::keyhost::plugin::config::{
    Attribute, AttributeType, Config, Descriptor, KeyPair,
};
pub use __bindings::keyhost::plugin::secrets::{AccessError, Secret};
pub use __bindings::keyhost::plugin::{config, crypto, log, secrets};

#[doc(hidden)]
pub use key_provider::Adapter;

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

/// Panics go to the log: a module of `wasm32-unknown-unknown` has no other place
/// for their text.
fn log_panics() {
    #[cfg(target_arch = "wasm32")]
    std::panic::set_hook(Box::new(|panic| {
        log::write(log::Level::Error, &panic.to_string().replace('\n', " "));
    }));
}

/// What a host's refusal says to people.
fn crypto_text(error: crypto::CryptoError) -> String {
    match error {
        crypto::CryptoError::InvalidParameter(text) | crypto::CryptoError::LimitExceeded(text) => {
            text
        }
        crypto::CryptoError::AuthenticationFailed => "authentication failed".to_owned(),
    }
}

fn access_text(error: AccessError) -> String {
    match error {
        AccessError::NotGranted => "`reveal` is not granted".to_owned(),
        AccessError::TooLarge => "the limit for secret bytes is spent".to_owned(),
    }
}
