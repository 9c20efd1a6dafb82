use keyhost_guest::crypto::{Encoding, HashFunction, encode, hkdf};
use keyhost_guest::ephemeral_resource::{
    Description, EphemeralResource, Error, Lease, Opened, sensitive_output,
};
use keyhost_guest::{AttributeType, Config, Descriptor, Secret, attribute};
use serde::{Deserialize, Serialize};

/// What separates these subkeys from others of the same key.
const PURPOSE: &str = "keyhost derived-key 1";

#[derive(Deserialize)]
struct Settings {
    context: String,
    length: u32,
}

/// Both outputs are sensitive.
#[derive(Serialize)]
struct NoValues {}

/// A subkey, ready to be derived.
pub(crate) struct DerivedKey {
    key: Secret,
    settings: Settings,
}

impl EphemeralResource for DerivedKey {
    fn describe() -> Description {
        let required = |name, kind, description| attribute(name, kind, description).required();
        Description {
            descriptor: Descriptor {
                id: "derived-key".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                attributes: vec![
                    required("key", AttributeType::Key, "The key provider of the key."),
                    required(
                        "context",
                        AttributeType::String,
                        "What the subkey is for: another context, another subkey.",
                    ),
                    attribute(
                        "length",
                        AttributeType::Number,
                        "The length of the subkey in bytes, from 16 to 64.",
                    )
                    .with_default(32),
                ],
            },
            outputs: vec![
                sensitive_output("hex", "The subkey in hexadecimal."),
                sensitive_output("base64", "The subkey in standard base64 with padding."),
            ],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let settings: Settings = config.attributes()?;
        if settings.context.is_empty() {
            return Err(Error::invalid_configuration("context is empty"));
        }
        if !(16..=64).contains(&settings.length) {
            return Err(Error::invalid_configuration(
                "length is from 16 to 64 bytes",
            ));
        }
        let keys = config.require_keys("key")?;
        Ok(Self {
            key: keys.encryption_key,
            settings,
        })
    }

    fn open(&self) -> Result<Opened, Error> {
        let Settings { context, length } = &self.settings;
        let info = [PURPOSE.as_bytes(), b"\0", context.as_bytes()].concat();
        let subkey = hkdf(&self.key, &[], &info, *length, HashFunction::Sha256)?;
        let spelled = [
            ("hex", encode(&subkey, Encoding::Hex)?),
            ("base64", encode(&subkey, Encoding::Base64)?),
        ];
        Opened::new(&NoValues {}, spelled, Lease::endless())
    }

    fn renew(&self, _: Vec<u8>) -> Result<Lease, Error> {
        Err(Error::Failure("there is no lease to renew".to_owned()))
    }

    fn close(&self, _: Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}
