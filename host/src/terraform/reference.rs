//! Documentation of every type, for people.

use std::fmt::Write;

use keyhost_terraform_plugin::{Attribute, AttributeType, ResourceType};

use super::{PROVIDER, key, schema};
use crate::ephemeral::{EphemeralError, EphemeralResources};

/// The types of a configuration, in Markdown.
///
/// # Errors
/// [`EphemeralError`] where a component cannot be asked.
pub fn reference(resources: &EphemeralResources<'_>) -> Result<String, EphemeralError> {
    let types = resources.types()?;
    let types = types
        .iter()
        .map(|(name, description)| schema::resource_type(name, description));
    let each: Vec<_> = types
        .chain([key::resource_type()])
        .map(|one| page(&one))
        .collect();
    Ok(each.join("\n"))
}

fn page(described: &ResourceType) -> String {
    let name = format!("{PROVIDER}_{}", described.name);
    let mut text = format!(
        "# {name}\n\n{}\n\n```hcl\nephemeral \"{name}\" \"example\" {{\n",
        described.description
    );
    let arguments = || described.attributes.iter().filter(|one| !one.computed);
    let width = arguments()
        .filter(|one| one.required)
        .map(|one| one.name.len())
        .max()
        .unwrap_or(0);
    for argument in arguments().filter(|one| one.required) {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {:width$} = {}", argument.name, example(argument));
    }
    text.push_str("}\n```\n\n| argument | type | |\n|---|---|---|\n");
    for argument in arguments() {
        let requirement = if argument.required {
            "Required"
        } else {
            "Optional"
        };
        row(&mut text, argument, requirement);
    }
    text.push_str("\n| value | type | |\n|---|---|---|\n");
    for value in described.attributes.iter().filter(|one| one.computed) {
        row(
            &mut text,
            value,
            if value.sensitive {
                "Sensitive"
            } else {
                "Plain"
            },
        );
    }
    text
}

fn row(text: &mut String, attribute: &Attribute, remark: &str) {
    let _ = writeln!(
        text,
        "| `{}` | {} | {remark}. {} |",
        attribute.name,
        kind(attribute.kind),
        attribute.description
    );
}

fn kind(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::String => "string",
        AttributeType::Number => "number",
        AttributeType::Bool => "bool",
        AttributeType::ListOfString => "list(string)",
        AttributeType::MapOfString => "map(string)",
    }
}

fn example(attribute: &Attribute) -> &'static str {
    match attribute.kind {
        AttributeType::String if attribute.name.contains("key") => "\"key_provider.TYPE.NAME\"",
        AttributeType::String => "\"…\"",
        AttributeType::Number => "1",
        AttributeType::Bool => "true",
        AttributeType::ListOfString => "[]",
        AttributeType::MapOfString => "{}",
    }
}
