//! The least that a faulty guest needs to be a key provider, so that each file
//! in `guests/` shows its one misbehaviour and nothing else.

pub mod sample;
pub mod sample_ephemeral;
pub mod sample_helper;

use keyhost_guest::{Descriptor, Error, KeyPair, Metadata, Secret, sensitive_attribute};

/// What a call gives.
pub type Answer = Result<(KeyPair, Option<String>), Error>;

/// Metadata as it is stored, or none: a faulty guest writes what it likes.
pub struct RawMetadata(Option<String>);

impl Metadata for RawMetadata {
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(Some(text.to_owned())))
    }

    fn write(&self) -> Result<Option<String>, String> {
        Ok(self.0.clone())
    }
}

impl RawMetadata {
    /// What a function of texts makes of metadata.
    ///
    /// # Errors
    /// The function's.
    pub fn answer(
        provide: impl FnOnce(Option<String>) -> Answer,
        stored: Option<Self>,
    ) -> Result<(KeyPair, Self), Error> {
        let (keys, made) = provide(stored.and_then(|stored| stored.0))?;
        Ok((keys, Self(made)))
    }
}

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
    let key = || Secret::conceal(&[1; 32]);
    Ok(KeyPair {
        encryption_key: key()?,
        decryption_key: metadata.map(|_| key()).transpose()?,
    })
}

/// Implements and exports a key provider whose `provide` is the given
/// expression, with `metadata` and the configuration `config` in scope.
#[macro_export]
macro_rules! faulty {
    ($id:literal, |$config:ident, $metadata:ident| $provide:expr) => {
        struct Faulty(::keyhost_guest::Config);

        impl ::keyhost_guest::KeyProvider for Faulty {
            type Metadata = $crate::RawMetadata;

            fn describe() -> ::keyhost_guest::Descriptor {
                $crate::descriptor($id)
            }

            fn build(config: ::keyhost_guest::Config) -> Result<Self, ::keyhost_guest::Error> {
                Ok(Self(config))
            }

            fn provide(
                &self,
                metadata: Option<$crate::RawMetadata>,
            ) -> Result<(::keyhost_guest::KeyPair, $crate::RawMetadata), ::keyhost_guest::Error>
            {
                let $config = &self.0;
                let _ = $config;
                let provide = |$metadata: Option<String>| $provide;
                $crate::RawMetadata::answer(provide, metadata)
            }
        }

        ::keyhost_guest::export_key_provider!(Faulty);
    };
}
