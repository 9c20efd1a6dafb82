use keyhost_guest::{AttributeType, Descriptor, attribute};

pub(crate) fn descriptor() -> Descriptor {
    Descriptor {
        id: "vault".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        attributes: vec![
            attribute(
                "key",
                AttributeType::Key,
                "The key provider whose 32-byte key seals what is stored.",
            )
            .required(),
            attribute(
                "previous_key",
                AttributeType::Key,
                "The key provider that was key before; what its key opens is sealed anew.",
            ),
        ],
    }
}
