use keyhost_guest::crypto::concat;
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, Secret};

use crate::metadata::Metadata;

/// A key pair of one and the same key.
pub(crate) struct Static {
    key: Secret,
}

impl Static {
    fn key(&self) -> Result<Secret, Error> {
        Ok(concat(&[&self.key])?)
    }
}

impl KeyProvider for Static {
    const KEEPS_METADATA: bool = true;

    fn describe() -> Descriptor {
        crate::descriptor::descriptor()
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self {
            key: crate::config::key(config)?,
        })
    }

    fn provide(&self, metadata: Option<String>) -> Result<(KeyPair, Option<String>), Error> {
        let decryption_key = match metadata {
            None => None,
            Some(text) => {
                Metadata::parse(&text)?;
                Some(self.key()?)
            }
        };
        let keys = KeyPair {
            encryption_key: self.key()?,
            decryption_key,
        };
        Ok((keys, Some(Metadata::new().to_json())))
    }
}
