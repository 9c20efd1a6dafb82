//! The `{{name}}` key provider: a key derived from a secret with HKDF-SHA-256
//! and a random salt, which the metadata keeps.

use keyhost_guest::crypto::{HashFunction, hkdf, random_bytes};
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, Secret, sensitive_attribute};
use serde::{Deserialize, Serialize};

/// In bytes.
const MINIMUM_SECRET_LENGTH: u32 = 16;
const SALT_LENGTH: u32 = 32;
const KEY_LENGTH: u32 = 32;

/// What the key is for: another use of the same secret has another key.
const INFO: &[u8] = b"keyhost";

struct Provider {
    secret: Secret,
}

/// Metadata lies in the clear: anybody may have written it.
#[derive(Serialize, Deserialize)]
struct Metadata {
    /// In hexadecimal.
    salt: String,
}

impl Metadata {
    fn fresh() -> Result<Self, Error> {
        let salt = hex::encode(random_bytes(SALT_LENGTH)?);
        Ok(Self { salt })
    }

    fn salt(&self) -> Result<Vec<u8>, Error> {
        let salt = hex::decode(&self.salt).unwrap_or_default();
        // The decoder takes capitals, too: there is one spelling.
        if salt.len() != SALT_LENGTH as usize || hex::encode(&salt) != self.salt {
            return Err(Error::invalid_metadata("salt is not 64 hexadecimal digits"));
        }
        Ok(salt)
    }
}

impl Provider {
    fn key(&self, metadata: &Metadata) -> Result<Secret, Error> {
        let salt = metadata.salt()?;
        Ok(hkdf(
            &self.secret,
            &salt,
            INFO,
            KEY_LENGTH,
            HashFunction::Sha256,
        )?)
    }
}

impl KeyProvider for Provider {
    type Metadata = Metadata;

    fn describe() -> Descriptor {
        Descriptor {
            id: "{{name}}".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![
                sensitive_attribute("secret", "The secret, at least 16 bytes.").required(),
            ],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let secret = config.require_secret("secret")?;
        if secret.length() < MINIMUM_SECRET_LENGTH {
            return Err(Error::invalid_configuration(format!(
                "secret is too short: at least {MINIMUM_SECRET_LENGTH} bytes are needed"
            )));
        }
        Ok(Self { secret })
    }

    fn provide(&self, stored: Option<Metadata>) -> Result<(KeyPair, Metadata), Error> {
        let fresh = Metadata::fresh()?;
        let keys = KeyPair {
            encryption_key: self.key(&fresh)?,
            decryption_key: stored.map(|stored| self.key(&stored)).transpose()?,
        };
        Ok((keys, fresh))
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_key_provider!(Provider);
