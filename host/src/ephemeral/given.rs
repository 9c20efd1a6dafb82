//! Attributes that a program gives, in the place of a block in the
//! configuration.

use serde_json::{Map, Value};

use crate::config::decode::{Decoded, KeySource};
use crate::config::reference::Address;
use crate::descriptor::{AttributeType, Descriptor};
use crate::secret::Secret;

/// An attribute that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the attribute \"{attribute}\" {problem}")]
pub struct AttributeError {
    /// The attribute.
    pub attribute: String,
    /// What is wrong with it. It shows no value.
    pub problem: String,
}

/// Decodes attributes by what a component declares. Keys are addresses of key
/// providers, as texts.
pub(super) fn decode(
    attributes: &Map<String, Value>,
    descriptor: &Descriptor,
) -> Result<Decoded, AttributeError> {
    let wrong = |attribute: &str, problem: String| AttributeError {
        attribute: attribute.to_owned(),
        problem,
    };
    let unknown = attributes
        .keys()
        .find(|name| descriptor.attribute(name).is_none());
    if let Some(name) = unknown {
        return Err(wrong(name, "is not one of this type".to_owned()));
    }
    let mut decoded = Decoded::default();
    for attribute in &descriptor.attributes {
        let name = attribute.name.as_str();
        let given = attributes.get(name).filter(|value| !value.is_null());
        let Some(value) = given.or(attribute.default.as_ref()) else {
            if attribute.required {
                return Err(wrong(name, "is missing".to_owned()));
            }
            continue;
        };
        if attribute.kind == AttributeType::Key {
            let address: Option<Address> = value.as_str().and_then(|text| text.parse().ok());
            let Some(address) = address else {
                let form = "is an address of the form key_provider.TYPE.NAME";
                return Err(wrong(name, form.to_owned()));
            };
            let source = KeySource::Provider(address);
            decoded.keys.push((name.to_owned(), source));
            continue;
        }
        if !attribute.kind.accepts(value) {
            return Err(wrong(name, format!("is not {}", attribute.kind)));
        }
        match value {
            Value::String(text) if attribute.sensitive => {
                let secret = Secret::from(text.clone());
                decoded.secrets.push((name.to_owned(), secret));
            }
            Value::Object(fields) if attribute.sensitive => {
                for (key, field) in fields {
                    let secret = Secret::from(field.as_str().unwrap_or_default().to_owned());
                    decoded.secrets.push((format!("{name}.{key}"), secret));
                }
            }
            value => {
                decoded.attributes.insert(name.to_owned(), value.clone());
            }
        }
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::decode;
    use crate::descriptor::{Attribute, AttributeType, Descriptor};

    fn descriptor() -> Descriptor {
        let attribute = |name: &str, kind, required, sensitive, default| Attribute {
            name: name.to_owned(),
            kind,
            required,
            sensitive,
            default,
            description: String::new(),
        };
        Descriptor {
            id: "it".to_owned(),
            version: "1".to_owned(),
            attributes: vec![
                attribute("key", AttributeType::Key, true, false, None),
                attribute(
                    "length",
                    AttributeType::Number,
                    false,
                    false,
                    Some(json!(32)),
                ),
                attribute("pin", AttributeType::String, false, true, None),
            ],
        }
    }

    fn told(given: &Value) -> String {
        match decode(given.as_object().expect("object"), &descriptor()) {
            Ok(decoded) => format!(
                "{} {} {}",
                decoded.attributes["length"],
                decoded.secrets.len(),
                decoded.keys.len()
            ),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn decodes_what_is_declared_and_nothing_else() {
        let key = "key_provider.static.a";
        for (given, expected) in [
            (json!({ "key": key }), "32 0 1"),
            (json!({ "key": key, "length": 16, "pin": "1234" }), "16 1 1"),
            (json!({ "key": key, "pin": null }), "32 0 1"),
            (json!({}), "the attribute \"key\" is missing"),
            (
                json!({ "key": "static.a" }),
                "the attribute \"key\" is an address of the form key_provider.TYPE.NAME",
            ),
            (
                json!({ "key": key, "length": "16" }),
                "the attribute \"length\" is not a number",
            ),
            (
                json!({ "key": key, "other": 1 }),
                "the attribute \"other\" is not one of this type",
            ),
        ] {
            assert_eq!(told(&given), expected);
        }
    }
}
