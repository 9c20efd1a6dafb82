//! The `static` key provider: a key written in the configuration, for tests
//! and as the start of a chain. It mirrors OpenTofu's provider of that name.

use keyhost_guest::crypto::{CryptoError, concat, decode_hex};
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, Secret, sensitive_attribute};
use serde::{Deserialize, Serialize};

/// What OpenTofu's static provider stores to recognise its own metadata.
const MAGIC: &str = "Hello world!";

struct Static {
    key: Secret,
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    magic: String,
}

impl KeyProvider for Static {
    type Metadata = Metadata;

    fn describe() -> Descriptor {
        Descriptor {
            id: "static".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![sensitive_attribute("key", "The key in hexadecimal.").required()],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let key = decode_hex(&config.require_secret("key")?).map_err(|error| match error {
            CryptoError::InvalidParameter(reason) => {
                Error::invalid_configuration(format!("key is not hexadecimal: {reason}"))
            }
            other => other.into(),
        })?;
        if key.length() == 0 {
            return Err(Error::invalid_configuration("key is empty"));
        }
        Ok(Self { key })
    }

    fn provide(&self, stored: Option<Metadata>) -> Result<(KeyPair, Metadata), Error> {
        if stored.as_ref().is_some_and(|stored| stored.magic != MAGIC) {
            return Err(Error::invalid_metadata(
                "magic is not that of the static key provider",
            ));
        }
        let key = || concat(&[&self.key]);
        let keys = KeyPair {
            encryption_key: key()?,
            decryption_key: stored.map(|_| key()).transpose()?,
        };
        let magic = MAGIC.to_owned();
        Ok((keys, Metadata { magic }))
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_key_provider!(Static);
