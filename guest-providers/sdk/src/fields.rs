//! JSON objects to types, with errors that name the field.

use core::fmt;

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// Reads a JSON object. Of a doubled field the last value counts.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| "it is no JSON object".to_owned())?;
    T::deserialize(Fields(object)).map_err(|Invalid(text)| text)
}

/// Why an object does not fit its type.
#[derive(Debug)]
struct Invalid(String);

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl core::error::Error for Invalid {}

impl serde::de::Error for Invalid {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self(format!("{field} is missing"))
    }
}

struct Fields(Map<String, Value>);

impl<'de> Deserializer<'de> for Fields {
    type Error = Invalid;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        visitor.visit_map(Walk {
            rest: self.0.into_iter(),
            at: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

struct Walk {
    rest: serde_json::map::IntoIter,
    at: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Walk {
    type Error = Invalid;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Invalid> {
        self.at = self.rest.next();
        let Some((name, _)) = &self.at else {
            return Ok(None);
        };
        let name = StringDeserializer::new(name.clone());
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Invalid> {
        let (name, value) = self.at.take().unwrap_or_default();
        seed.deserialize(value)
            .map_err(|error| Invalid(format!("{name}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    struct Sample {
        count: u32,
        note: Option<String>,
    }

    fn sample(count: u32, note: Option<&str>) -> Result<Sample, String> {
        let note = note.map(ToOwned::to_owned);
        Ok(Sample { count, note })
    }

    #[test]
    fn takes_the_last_of_a_doubled_field_and_ignores_unknown_ones() {
        let text = r#"{"count":1,"more":[{}],"count":2,"note":null}"#;
        assert_eq!(super::read(text), sample(2, None));
        assert_eq!(
            super::read(r#"{"note":"n","count":4294967295}"#),
            sample(u32::MAX, Some("n"))
        );
    }

    #[test]
    fn says_which_field_is_wrong() {
        for (text, expected) in [
            ("", "it is no JSON object"),
            ("[1]", "it is no JSON object"),
            ("null", "it is no JSON object"),
            (r#"{"count":1} "#, ""),
            (r#"{"count":1}x"#, "it is no JSON object"),
            ("{}", "count is missing"),
            (r#"{"Count":1}"#, "count is missing"),
            (r#"{"count":null}"#, "count: "),
            (r#"{"count":"1"}"#, "count: "),
            (r#"{"count":1.0}"#, "count: "),
            (r#"{"count":1e3}"#, "count: "),
            (r#"{"count":-1}"#, "count: "),
            (r#"{"count":4294967296}"#, "count: "),
            (r#"{"count":1,"note":7}"#, "note: "),
        ] {
            match super::read::<Sample>(text) {
                Ok(_) => assert_eq!(expected, "", "{text}"),
                Err(error) => assert!(
                    !expected.is_empty() && error.starts_with(expected),
                    "{text}: {error}"
                ),
            }
        }
    }
}
