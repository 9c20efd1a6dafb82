use keyhost_guest::AttributeType::{Key, Number, String};
use keyhost_guest::{Descriptor, attribute, sensitive_attribute};

pub(crate) fn descriptor() -> Descriptor {
    Descriptor {
        id: "pbkdf2".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        attributes: vec![
            sensitive_attribute(
                "passphrase",
                "The passphrase, at least 16 bytes; either this or chain.",
            ),
            attribute(
                "chain",
                Key,
                "A key provider whose key takes the passphrase's place.",
            ),
            attribute(
                "iterations",
                Number,
                "How often the hash function is applied, at least 200000.",
            )
            .with_default(600_000),
            attribute("key_length", Number, "The length of the key in bytes.").with_default(32),
            attribute(
                "salt_length",
                Number,
                "The length of the random salt in bytes.",
            )
            .with_default(32),
            attribute("hash_function", String, "sha256 or sha512.").with_default("sha512"),
        ],
    }
}
