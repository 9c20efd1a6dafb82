//! Derives keys inside the sandbox, to be measured against the host's
//! derivation. Its passphrase is no secret: no provider should work like this.

use keyhost_guest::{
    AttributeType, Config, Descriptor, Error, KeyPair, KeyProvider, NoMetadata, Secret, attribute,
};
use pbkdf2::pbkdf2_hmac;
use serde::Deserialize;
use sha2::{Sha256, Sha512};

#[derive(Deserialize)]
struct Settings {
    passphrase: String,
    iterations: u32,
    hash: String,
}

struct DerivesInside(Settings);

impl KeyProvider for DerivesInside {
    type Metadata = NoMetadata;

    fn describe() -> Descriptor {
        let required = |name, kind, description| attribute(name, kind, description).required();
        Descriptor {
            id: "derives-inside".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![
                required("passphrase", AttributeType::String, "The passphrase."),
                required("iterations", AttributeType::Number, "The iterations."),
                required("hash", AttributeType::String, "sha256 or sha512."),
            ],
        }
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self(config.attributes()?))
    }

    fn provide(&self, _: Option<NoMetadata>) -> Result<(KeyPair, NoMetadata), Error> {
        let Settings {
            passphrase,
            iterations,
            hash,
        } = &self.0;
        let mut key = [0; 32];
        let derive = match hash.as_str() {
            "sha256" => pbkdf2_hmac::<Sha256>,
            "sha512" => pbkdf2_hmac::<Sha512>,
            _ => return Err(Error::invalid_configuration("hash is sha256 or sha512")),
        };
        derive(
            passphrase.as_bytes(),
            b"a salt of 16 by.",
            *iterations,
            &mut key,
        );
        let keys = KeyPair {
            encryption_key: Secret::conceal(&key)?,
            decryption_key: Some(Secret::conceal(&key)?),
        };
        Ok((keys, NoMetadata))
    }
}

keyhost_guest::export_key_provider!(DerivesInside);
