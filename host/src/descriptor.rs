//! What a component says of itself, checked.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

/// The attribute that the host keeps for itself in every key provider block.
pub const METADATA_ALIAS_ATTRIBUTE: &str = "encrypted_metadata_alias";

/// The type of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// Text.
    String,
    /// A number.
    Number,
    /// True or false.
    Bool,
    /// A list of texts.
    ListOfString,
    /// Texts by name.
    MapOfString,
    /// A reference to a key provider.
    Key,
}

impl fmt::Display for AttributeType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "true or false",
            Self::ListOfString => "a list of strings",
            Self::MapOfString => "a map of strings",
            Self::Key => "a reference to a key provider",
        })
    }
}

impl AttributeType {
    /// Whether a JSON value is of this type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Bool => value.is_boolean(),
            Self::ListOfString => value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string)),
            Self::MapOfString => value
                .as_object()
                .is_some_and(|map| map.values().all(Value::is_string)),
            Self::Key => false,
        }
    }
}

/// One attribute that users write.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The type of its value.
    pub kind: AttributeType,
    /// Whether a configuration without it is refused.
    pub required: bool,
    /// Whether the value reaches the component as a secret handle only.
    pub sensitive: bool,
    /// The value when the attribute is absent.
    pub default: Option<Value>,
    /// One sentence for the person who writes the configuration.
    pub description: String,
}

/// What a component says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// The type that users write.
    pub id: String,
    /// The component's version.
    pub version: String,
    /// The attributes that users write.
    pub attributes: Vec<Attribute>,
}

/// A value that an ephemeral resource gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: AttributeType,
    /// Whether it leaves the component as a secret handle only.
    pub sensitive: bool,
    /// One sentence for the person who uses it.
    pub description: String,
}

/// What an ephemeral resource says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// What users write.
    pub descriptor: Descriptor,
    /// What they get.
    pub outputs: Vec<Output>,
}

impl Description {
    /// Checks what the contract demands.
    ///
    /// # Errors
    /// [`InvalidDescriptor`] with the first breach.
    pub fn check(&self) -> Result<(), InvalidDescriptor> {
        self.descriptor.check()?;
        let breach = |text: String| Err(InvalidDescriptor(text));
        if self.outputs.len() > MAXIMUM_ATTRIBUTES {
            return breach(format!("more than {MAXIMUM_ATTRIBUTES} outputs"));
        }
        let attributes = self.descriptor.attributes.iter();
        let mut names: BTreeSet<_> = attributes.map(|attribute| &attribute.name).collect();
        for output in &self.outputs {
            let name = &output.name;
            if !is_attribute_name(name) {
                return breach("an output's name is not of the form [a-z][a-z0-9_]*".to_owned());
            }
            if !names.insert(name) {
                return breach(format!("{name} is declared twice"));
            }
            if output.kind == AttributeType::Key {
                return breach(format!("the output {name} is a reference"));
            }
            if output.sensitive && output.kind != AttributeType::String {
                return breach(format!("the output {name} is sensitive and not a string"));
            }
        }
        Ok(())
    }
}

/// A descriptor breaks the contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its descriptor breaks the contract: {0}")]
pub struct InvalidDescriptor(String);

impl InvalidDescriptor {
    pub(crate) fn new(breach: String) -> Self {
        Self(breach)
    }
}

/// Enough for any provider, few enough to bound the host's work.
pub(crate) const MAXIMUM_ATTRIBUTES: usize = 256;

/// The longest default, in bytes of JSON.
pub(crate) const MAXIMUM_DEFAULT: usize = 4 << 10;

impl Descriptor {
    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// Checks what the contract demands of a descriptor.
    ///
    /// # Errors
    /// [`InvalidDescriptor`] with the first breach.
    pub fn check(&self) -> Result<(), InvalidDescriptor> {
        let breach = |text: String| Err(InvalidDescriptor(text));
        if !is_name(&self.id) {
            return breach("the id is not made of letters, digits, _ and -".to_owned());
        }
        let mut names = BTreeSet::new();
        for attribute in &self.attributes {
            let name = &attribute.name;
            if !is_attribute_name(name) {
                return breach("an attribute name is not of the form [a-z][a-z0-9_]*".to_owned());
            }
            if name == METADATA_ALIAS_ATTRIBUTE {
                return breach(format!("{name} is the host's own attribute"));
            }
            if !names.insert(name) {
                return breach(format!("two attributes are called {name}"));
            }
            let text = [AttributeType::String, AttributeType::MapOfString];
            if attribute.sensitive && !text.contains(&attribute.kind) {
                return breach(format!("{name} is sensitive and not of strings"));
            }
            let Some(default) = &attribute.default else {
                continue;
            };
            if attribute.required || attribute.sensitive || attribute.kind == AttributeType::Key {
                return breach(format!("{name} can have no default"));
            }
            if !attribute.kind.accepts(default) {
                return breach(format!("the default of {name} is not {}", attribute.kind));
            }
        }
        Ok(())
    }
}

/// Whether a text is a provider's type or name: `[a-zA-Z_0-9-]+`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn is_attribute_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::{Attribute, AttributeType, Descriptor};
    use serde_json::json;

    fn attribute(name: &str, kind: AttributeType) -> Attribute {
        Attribute {
            name: name.to_owned(),
            kind,
            required: false,
            sensitive: false,
            default: None,
            description: String::new(),
        }
    }

    fn accepts(attributes: Vec<Attribute>) -> bool {
        let descriptor = Descriptor {
            id: "some-id_2".to_owned(),
            version: "1".to_owned(),
            attributes,
        };
        descriptor.check().is_ok()
    }

    #[test]
    fn defaults_fit_their_types() {
        let with = |default| Attribute {
            default: Some(default),
            ..attribute("n", AttributeType::Number)
        };
        assert!(accepts(vec![with(json!(5))]));
        assert!(!accepts(vec![with(json!("5"))]));
        assert!(!accepts(vec![Attribute {
            required: true,
            ..with(json!(5))
        }]));
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        let string = |name| attribute(name, AttributeType::String);
        assert!(accepts(vec![string("a"), string("b_2")]));
        for names in [
            ["a", "a"],
            ["a", "B"],
            ["a", ""],
            ["a", "encrypted_metadata_alias"],
        ] {
            assert!(!accepts(names.map(string).to_vec()), "{names:?}");
        }
    }

    #[test]
    fn only_strings_and_maps_of_them_are_sensitive() {
        let sensitive = |kind| Attribute {
            sensitive: true,
            ..attribute("a", kind)
        };
        assert!(accepts(vec![sensitive(AttributeType::String)]));
        assert!(accepts(vec![sensitive(AttributeType::MapOfString)]));
        assert!(!accepts(vec![sensitive(AttributeType::Number)]));
    }
}
