use keyhost_guest::crypto::{Encoding, HashFunction, encode, hkdf};
use keyhost_guest::ephemeral_resource::{
    Description, EphemeralResource, Error, Lease, Opened, sensitive_output,
};
use keyhost_guest::{Attribute, AttributeType, Config, Descriptor, Secret, attribute};
use miniserde::{Deserialize, json};

/// What separates these subkeys from others of the same key.
const PURPOSE: &str = "keyhost derived-key 1";

#[derive(Deserialize)]
struct Settings {
    context: String,
    length: u32,
}

/// A subkey, ready to be derived.
pub(crate) struct DerivedKey {
    key: Secret,
    settings: Settings,
}

impl EphemeralResource for DerivedKey {
    fn describe() -> Description {
        let required = |name, kind, description| Attribute {
            required: true,
            ..attribute(name, kind, description)
        };
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
                    Attribute {
                        default: Some("32".to_owned()),
                        ..attribute(
                            "length",
                            AttributeType::Number,
                            "The length of the subkey in bytes, from 16 to 64.",
                        )
                    },
                ],
            },
            outputs: vec![
                sensitive_output("hex", "The subkey in hexadecimal."),
                sensitive_output("base64", "The subkey in standard base64 with padding."),
            ],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let settings: Settings = json::from_str(&config.attributes)
            .map_err(|_| invalid("length is a whole number of bytes"))?;
        if settings.context.is_empty() {
            return Err(invalid("context is empty"));
        }
        if !(16..=64).contains(&settings.length) {
            return Err(invalid("length is from 16 to 64 bytes"));
        }
        let keys = config
            .take_keys("key")
            .ok_or_else(|| invalid("key is missing"))?;
        Ok(Self {
            key: keys.encryption_key,
            settings,
        })
    }

    fn open(&self) -> Result<Opened, Error> {
        let Settings { context, length } = &self.settings;
        let info = [PURPOSE.as_bytes(), b"\0", context.as_bytes()].concat();
        let subkey = hkdf(&self.key, &[], &info, *length, HashFunction::Sha256)?;
        Ok(Opened {
            values: "{}".to_owned(),
            secrets: vec![
                ("hex".to_owned(), encode(&subkey, Encoding::Hex)?),
                ("base64".to_owned(), encode(&subkey, Encoding::Base64)?),
            ],
            lease: Lease {
                private: Vec::new(),
                renew_at: None,
            },
        })
    }

    fn renew(&self, _: Vec<u8>) -> Result<Lease, Error> {
        Err(Error::Failure("there is no lease to renew".to_owned()))
    }

    fn close(&self, _: Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

fn invalid(text: &str) -> Error {
    Error::InvalidConfiguration(text.to_owned())
}
