//! Derives keys inside the sandbox, to be measured against the host's
//! derivation. Its passphrase is no secret: no provider should work like this.

use keyhost_guest::{
    Attribute, AttributeType, Config, Descriptor, Error, KeyPair, KeyProvider, Secret, attribute,
    invalid_configuration,
};
use miniserde::{Deserialize, json};
use pbkdf2::pbkdf2_hmac;
use sha2::{Sha256, Sha512};

#[derive(Deserialize)]
struct Settings {
    passphrase: String,
    iterations: u32,
    hash: String,
}

struct DerivesInside(Settings);

impl KeyProvider for DerivesInside {
    const KEEPS_METADATA: bool = false;

    fn describe() -> Descriptor {
        let required = |name, kind, description| Attribute {
            required: true,
            ..attribute(name, kind, description)
        };
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
        json::from_str(&config.attributes)
            .map(Self)
            .map_err(|_| invalid_configuration("an attribute has a wrong type"))
    }

    fn provide(&self, _: Option<String>) -> Result<(KeyPair, Option<String>), Error> {
        let Settings {
            passphrase,
            iterations,
            hash,
        } = &self.0;
        let mut key = [0; 32];
        let derive = match hash.as_str() {
            "sha256" => pbkdf2_hmac::<Sha256>,
            "sha512" => pbkdf2_hmac::<Sha512>,
            _ => return Err(invalid_configuration("hash is sha256 or sha512")),
        };
        derive(
            passphrase.as_bytes(),
            b"a salt of 16 by.",
            *iterations,
            &mut key,
        );
        let secret = || {
            Secret::conceal(&key)
                .map_err(|error| Error::KeyProviderFailure(format!("conceal: {error:?}")))
        };
        let keys = KeyPair {
            encryption_key: secret()?,
            decryption_key: Some(secret()?),
        };
        Ok((keys, None))
    }
}

keyhost_guest::export_key_provider!(DerivesInside);
