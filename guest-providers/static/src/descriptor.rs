use keyhost_guest::{Attribute, Descriptor, sensitive_attribute};

pub(crate) fn descriptor() -> Descriptor {
    Descriptor {
        id: "static".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        attributes: vec![Attribute {
            required: true,
            ..sensitive_attribute("key", "The key in hexadecimal.")
        }],
    }
}
