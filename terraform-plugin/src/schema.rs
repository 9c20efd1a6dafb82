//! The types of a provider, and their schemas on the wire.

use std::collections::HashMap;

use crate::proto::tfplugin6::{Schema, schema};
use crate::resources::{Attribute, AttributeType, ResourceType};

/// Every type of a provider.
pub(crate) struct Types {
    prefix: String,
    types: Vec<ResourceType>,
}

impl Types {
    pub(crate) fn new(provider_name: &str, types: Vec<ResourceType>) -> Self {
        Self {
            prefix: format!("{provider_name}_"),
            types,
        }
    }

    /// The type of that full name, as the client says it.
    pub(crate) fn find(&self, full_name: &str) -> Option<&ResourceType> {
        let name = full_name.strip_prefix(&self.prefix)?;
        self.types.iter().find(|found| found.name == name)
    }

    /// The schemas by full name.
    pub(crate) fn schemas(&self) -> HashMap<String, Schema> {
        let full_name = |found: &ResourceType| format!("{}{}", self.prefix, found.name);
        let types = self.types.iter();
        types.map(|found| (full_name(found), of(found))).collect()
    }
}

/// The schema of something without attributes.
pub(crate) fn empty() -> Schema {
    Schema {
        version: 0,
        block: Some(schema::Block::default()),
    }
}

fn of(resource_type: &ResourceType) -> Schema {
    Schema {
        version: 0,
        block: Some(schema::Block {
            version: 0,
            attributes: resource_type.attributes.iter().map(attribute).collect(),
            description: resource_type.description.clone(),
        }),
    }
}

fn attribute(attribute: &Attribute) -> schema::Attribute {
    let wire_type = match attribute.kind {
        AttributeType::String => r#""string""#,
        AttributeType::Number => r#""number""#,
        AttributeType::Bool => r#""bool""#,
        AttributeType::ListOfString => r#"["list","string"]"#,
        AttributeType::MapOfString => r#"["map","string"]"#,
    };
    schema::Attribute {
        name: attribute.name.clone(),
        r#type: wire_type.into(),
        description: attribute.description.clone(),
        required: attribute.required,
        optional: attribute.optional,
        computed: attribute.computed,
        sensitive: attribute.sensitive,
    }
}
