use keyhost_guest::{Attribute, AttributeType, Descriptor, attribute, sensitive_attribute};

pub(crate) fn descriptor() -> Descriptor {
    let with_default = |name, kind, default: &str, description| Attribute {
        default: Some(default.to_owned()),
        ..attribute(name, kind, description)
    };
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
                AttributeType::Key,
                "A key provider whose key takes the passphrase's place.",
            ),
            with_default(
                "iterations",
                AttributeType::Number,
                "600000",
                "How often the hash function is applied, at least 200000.",
            ),
            with_default(
                "key_length",
                AttributeType::Number,
                "32",
                "The length of the key in bytes.",
            ),
            with_default(
                "salt_length",
                AttributeType::Number,
                "32",
                "The length of the random salt in bytes.",
            ),
            with_default(
                "hash_function",
                AttributeType::String,
                "\"sha512\"",
                "sha256 or sha512.",
            ),
        ],
    }
}
