//! What terraform is told of a type.

use crate::descriptor::{Attribute as Declared, AttributeType as Kind, Description, Output};
use keyhost_terraform_plugin::{Attribute, AttributeType, ResourceType};

/// The provider's name.
pub const PROVIDER: &str = "keyhost";

/// The type of a component: its name, as far as Terraform takes it.
pub(super) fn type_name(component: &str) -> String {
    component.to_lowercase().replace('-', "_")
}

pub(super) fn resource_type(component: &str, description: &Description) -> ResourceType {
    let attributes = description.descriptor.attributes.iter().map(argument);
    ResourceType {
        name: type_name(component),
        description: format!(
            "The ephemeral resource of keyhost's component {component}, {} {}.",
            description.descriptor.id, description.descriptor.version
        ),
        attributes: attributes
            .chain(description.outputs.iter().map(result))
            .collect(),
    }
}

fn argument(declared: &Declared) -> Attribute {
    let form = match declared.kind {
        Kind::Key => " As text: \"key_provider.TYPE.NAME\".",
        _ => "",
    };
    let default = match &declared.default {
        Some(default) => format!(" Default: {default}."),
        None => String::new(),
    };
    Attribute {
        name: declared.name.clone(),
        kind: kind(declared.kind),
        required: declared.required,
        optional: !declared.required,
        computed: false,
        sensitive: declared.sensitive,
        description: format!("{}{form}{default}", declared.description),
    }
}

fn result(output: &Output) -> Attribute {
    Attribute {
        name: output.name.clone(),
        kind: kind(output.kind),
        required: false,
        optional: false,
        computed: true,
        sensitive: output.sensitive,
        description: output.description.clone(),
    }
}

/// References are written as texts.
fn kind(kind: Kind) -> AttributeType {
    match kind {
        Kind::String | Kind::Key => AttributeType::String,
        Kind::Number => AttributeType::Number,
        Kind::Bool => AttributeType::Bool,
        Kind::ListOfString => AttributeType::ListOfString,
        Kind::MapOfString => AttributeType::MapOfString,
    }
}
