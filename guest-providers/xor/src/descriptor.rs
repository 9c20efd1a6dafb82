use keyhost_guest::{AttributeType, Descriptor, attribute};

pub(crate) fn descriptor() -> Descriptor {
    let operand = |name, description| attribute(name, AttributeType::Key, description).required();
    Descriptor {
        id: "xor".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        attributes: vec![
            operand("a", "The first key provider."),
            operand("b", "The second key provider."),
        ],
    }
}
