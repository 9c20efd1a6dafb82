//! Credentials objects, as the clients of the protocol write and read them.
//! <https://developer.hashicorp.com/terraform/internals/credentials-helpers>

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// The longest object, in bytes. Tokens are far shorter.
pub const MAXIMUM_SIZE: usize = 256 << 10;

/// The texts of one object that are looked for in messages.
const MAXIMUM_TEXTS: usize = 16;

/// The property that clients read.
const TOKEN: &str = "token";

/// The bytes are no credentials object. The texts show none of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// More than [`MAXIMUM_SIZE`].
    #[error("the credentials are longer than {MAXIMUM_SIZE} bytes")]
    TooLong,
    /// No JSON object, or one with a doubled property.
    #[error("the credentials are not one JSON object")]
    NotAnObject,
    /// A token that clients cannot send, or would send as an empty one.
    #[error("the token {0}")]
    Token(&'static str),
}

/// A checked credentials object: its bytes as they came, and the names of its
/// properties.
#[derive(Clone, Debug)]
pub struct CredentialsObject {
    bytes: Secret,
    properties: Vec<String>,
}

impl CredentialsObject {
    /// Checks the bytes of an object. Surrounding white space is left away.
    ///
    /// # Errors
    /// [`ObjectError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ObjectError> {
        let bytes = bytes.trim_ascii();
        if bytes.len() > MAXIMUM_SIZE {
            return Err(ObjectError::TooLong);
        }
        let fields: Fields<'_> =
            serde_json::from_slice(bytes).map_err(|_| ObjectError::NotAnObject)?;
        for (name, value) in &fields.0 {
            if name == TOKEN {
                check_token_value(value.get())?;
            }
        }
        Ok(Self {
            bytes: Secret::from(bytes),
            properties: fields.0.into_iter().map(|(name, _)| name).collect(),
        })
    }

    /// The object of a token alone.
    ///
    /// # Errors
    /// [`ObjectError::Token`].
    pub fn from_token(token: &Secret) -> Result<Self, ObjectError> {
        let text =
            std::str::from_utf8(token.expose()).map_err(|_| ObjectError::Token("is not UTF-8"))?;
        check_token(text)?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * text.len() + 16));
        bytes.extend_from_slice(b"{\"token\":");
        serde_json::to_writer(&mut *bytes, text)
            .map_err(|_| ObjectError::Token("cannot be written as JSON"))?;
        bytes.push(b'}');
        Self::parse(&bytes)
    }

    /// The bytes.
    pub fn secret(&self) -> &Secret {
        &self.bytes
    }

    /// Takes the bytes out.
    pub fn into_secret(self) -> Secret {
        self.bytes
    }

    /// The names of the properties, in their order.
    pub fn properties(&self) -> &[String] {
        &self.properties
    }
}

/// The texts among the values of bytes that may be an object.
pub(crate) fn texts(bytes: &[u8]) -> Vec<Secret> {
    if !bytes.starts_with(b"{") {
        return Vec::new();
    }
    let fields: Result<Fields<'_>, _> = serde_json::from_slice(bytes);
    let fields = fields.map_or_else(|_| Vec::new(), |fields| fields.0);
    let texts = fields
        .iter()
        .filter_map(|(_, value)| serde_json::from_str::<String>(value.get()).ok());
    texts.take(MAXIMUM_TEXTS).map(Secret::from).collect()
}

fn check_token_value(json: &str) -> Result<(), ObjectError> {
    let text: Zeroizing<String> = serde_json::from_str(json)
        .map(Zeroizing::new)
        .map_err(|_| ObjectError::Token("is not a string"))?;
    check_token(&text)
}

/// A client sends the token in a header.
fn check_token(text: &str) -> Result<(), ObjectError> {
    if text.is_empty() {
        return Err(ObjectError::Token("is empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(ObjectError::Token("has control characters"));
    }
    Ok(())
}

/// The fields of an object, their values as they are written.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Self::Value = Vec::new();
                let mut names = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom("a doubled property"));
                    }
                    fields.push((name, value));
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(FieldsVisitor).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::{CredentialsObject, MAXIMUM_SIZE, ObjectError};
    use crate::secret::Secret;

    fn parse(text: &str) -> Result<CredentialsObject, ObjectError> {
        CredentialsObject::parse(text.as_bytes())
    }

    #[test]
    fn keeps_the_bytes_and_names_the_properties() {
        let text = r#"{ "token" : "abc", "expires":1e3,"more":{"a":[1,2]}}"#;
        let object = parse(&format!("\n{text}\n")).expect("object");
        assert_eq!(object.secret().expose(), text.as_bytes());
        assert_eq!(object.properties(), ["token", "expires", "more"]);
    }

    #[test]
    fn refuses_what_clients_choke_on() {
        for text in [
            "",
            "null",
            "[]",
            "\"token\"",
            "{} {}",
            "{\"token\":\"a\",\"token\":\"b\"}",
            "{\"token\":\"\"}",
            "{\"token\":\"a\\nb\"}",
            "{\"token\":1}",
            "{\"token\":null}",
            "\u{feff}{}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let long = format!("{{\"token\":\"{}\"}}", "x".repeat(MAXIMUM_SIZE));
        assert_eq!(parse(&long).err(), Some(ObjectError::TooLong));
        assert!(CredentialsObject::parse(b"{\"token\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_token_becomes_an_object() {
        let token = Secret::from("a\"b\\c ü".to_owned());
        let object = CredentialsObject::from_token(&token).expect("object");
        assert_eq!(
            object.secret().expose(),
            r#"{"token":"a\"b\\c ü"}"#.as_bytes()
        );
        for token in [&b""[..], b"a\nb", b"\xff"] {
            assert!(CredentialsObject::from_token(&Secret::from(token)).is_err());
        }
    }
}
