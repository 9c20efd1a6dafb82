//! Attributes: declared with few words, and read typed.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Attribute, AttributeType, Config, KeyPair, Secret, fields};

/// An optional attribute without a default.
pub fn attribute(name: &str, kind: AttributeType, description: &str) -> Attribute {
    Attribute {
        name: name.to_owned(),
        kind,
        required: false,
        sensitive: false,
        default: None,
        description: description.to_owned(),
    }
}

/// A text that reaches the component as a secret handle.
pub fn sensitive_attribute(name: &str, description: &str) -> Attribute {
    attribute(name, AttributeType::String, description).sensitive()
}

impl Attribute {
    /// The same attribute, required.
    pub fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    /// The same attribute, whose value reaches the component as a secret handle.
    pub fn sensitive(self) -> Self {
        Self {
            sensitive: true,
            ..self
        }
    }

    /// The same attribute with the value that it has where the user writes none.
    pub fn with_default(self, value: impl Into<Value>) -> Self {
        Self {
            default: Some(value.into().to_string()),
            ..self
        }
    }
}

/// What is wrong with a configuration, for people. Every kind's `Error` is made
/// of it by `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidConfiguration(pub String);

impl Config {
    /// The plain attributes, as a type with serde's `Deserialize`.
    ///
    /// # Errors
    /// [`InvalidConfiguration`] with the name of the attribute that has another
    /// type.
    pub fn attributes<T: DeserializeOwned>(&self) -> Result<T, InvalidConfiguration> {
        fields::read(&self.attributes).map_err(InvalidConfiguration)
    }

    /// Takes the handle of a sensitive attribute, if the user gave it.
    pub fn take_secret(&mut self, name: &str) -> Option<Secret> {
        take(&mut self.secrets, name)
    }

    /// Takes the handle of a sensitive attribute that must be given.
    ///
    /// # Errors
    /// [`InvalidConfiguration`] where it is not.
    pub fn require_secret(&mut self, name: &str) -> Result<Secret, InvalidConfiguration> {
        self.take_secret(name).ok_or_else(|| missing(name))
    }

    /// Takes the handles of a sensitive map, by key.
    pub fn take_secrets(&mut self, name: &str) -> Vec<(String, Secret)> {
        let prefix = format!("{name}.");
        let all = core::mem::take(&mut self.secrets);
        let mut taken = Vec::new();
        for (name, secret) in all {
            match name.strip_prefix(&prefix) {
                Some(key) => taken.push((key.to_owned(), secret)),
                None => self.secrets.push((name, secret)),
            }
        }
        taken
    }

    /// Takes the keys of a `key` attribute, if the user gave it.
    pub fn take_keys(&mut self, name: &str) -> Option<KeyPair> {
        take(&mut self.keys, name)
    }

    /// Takes the keys of a `key` attribute that must be given.
    ///
    /// # Errors
    /// [`InvalidConfiguration`] where it is not.
    pub fn require_keys(&mut self, name: &str) -> Result<KeyPair, InvalidConfiguration> {
        self.take_keys(name).ok_or_else(|| missing(name))
    }
}

fn missing(name: &str) -> InvalidConfiguration {
    InvalidConfiguration(format!("{name} is missing"))
}

fn take<T>(entries: &mut Vec<(String, T)>, name: &str) -> Option<T> {
    let position = entries.iter().position(|(key, _)| key == name)?;
    Some(entries.swap_remove(position).1)
}

#[cfg(test)]
mod tests {
    use super::{AttributeType, Config, InvalidConfiguration, attribute};

    #[test]
    fn defaults_are_json() {
        let with = |value: serde_json::Value| {
            attribute("a", AttributeType::String, "A.")
                .with_default(value)
                .default
        };
        assert_eq!(with("sha512".into()).as_deref(), Some("\"sha512\""));
        assert_eq!(with(600_000.into()).as_deref(), Some("600000"));
        assert_eq!(with(true.into()).as_deref(), Some("true"));
    }

    #[test]
    fn what_must_be_given_is_named() {
        let mut config = Config {
            attributes: r#"{"a":1}"#.to_owned(),
            secrets: Vec::new(),
            keys: Vec::new(),
        };
        let missing = |name: &str| InvalidConfiguration(format!("{name} is missing"));
        assert_eq!(config.require_secret("s").err(), Some(missing("s")));
        assert_eq!(config.require_keys("k").err(), Some(missing("k")));
        assert_eq!(
            config.attributes::<std::collections::BTreeMap<String, u32>>(),
            Ok([("a".to_owned(), 1)].into())
        );
    }
}
