//! The least that a faulty guest needs to be a key provider, so that each file
//! in `guests/` shows its one misbehaviour and nothing else.

pub mod sample;
pub mod sample_ephemeral;
pub mod sample_helper;

use keyhost_guest::{Descriptor, Error, KeyPair, Secret, sensitive_attribute};

/// A descriptor with one sensitive attribute, `key`.
pub fn descriptor(id: &str) -> Descriptor {
    Descriptor {
        id: id.to_owned(),
        version: "1.0.0".to_owned(),
        attributes: vec![sensitive_attribute("key", "Any text.")],
    }
}

/// A pair of two unrelated keys, a decryption key only where there is metadata.
///
/// # Errors
/// What the host answers when the limit for secret bytes is spent.
pub fn keys(metadata: Option<&str>) -> Result<KeyPair, Error> {
    let key = |byte: u8| {
        Secret::conceal(&[byte; 32])
            .map_err(|error| Error::KeyProviderFailure(format!("conceal: {error:?}")))
    };
    Ok(KeyPair {
        encryption_key: key(1)?,
        decryption_key: metadata.map(|_| key(1)).transpose()?,
    })
}

/// Implements and exports a key provider whose `provide` is the given
/// expression, with `metadata` and the configuration `config` in scope.
#[macro_export]
macro_rules! faulty {
    ($id:literal, |$config:ident, $metadata:ident| $provide:expr) => {
        struct Faulty(::keyhost_guest::Config);

        impl ::keyhost_guest::KeyProvider for Faulty {
            const KEEPS_METADATA: bool = true;

            fn describe() -> ::keyhost_guest::Descriptor {
                $crate::descriptor($id)
            }

            fn build(config: ::keyhost_guest::Config) -> Result<Self, ::keyhost_guest::Error> {
                Ok(Self(config))
            }

            fn provide(
                &self,
                $metadata: Option<String>,
            ) -> Result<(::keyhost_guest::KeyPair, Option<String>), ::keyhost_guest::Error> {
                let $config = &self.0;
                let _ = $config;
                $provide
            }
        }

        ::keyhost_guest::export_key_provider!(Faulty);
    };
}
