//! Reading typed parameters from a JSON object, with errors that name the
//! field.

use keyhost_guest::crypto::HashFunction;
use miniserde::json::{self, Number, Object, Value};

/// The parameters of a JSON object, of the configuration or of metadata.
pub(crate) struct Parameters(Object);

impl Parameters {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        json::from_str(text)
            .map(Self)
            .map_err(|_| "not a JSON object".to_owned())
    }

    /// A whole number from 1 to 2^32 - 1.
    pub(crate) fn positive(&self, name: &str) -> Result<u32, String> {
        let number = match self.value(name)? {
            Value::Number(Number::U64(number)) => u32::try_from(*number).ok(),
            _ => None,
        };
        number
            .filter(|number| *number > 0)
            .ok_or_else(|| format!("{name} is not a whole number from 1 to {}", u32::MAX))
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, name: &str) -> Result<&str, String> {
        match self.value(name)? {
            Value::String(text) if !text.is_empty() => Ok(text),
            _ => Err(format!("{name} is not a text, or empty")),
        }
    }

    /// The hash function, spelled exactly as OpenTofu spells it.
    pub(crate) fn hash_function(&self) -> Result<HashFunction, String> {
        match self.text("hash_function")? {
            "sha256" => Ok(HashFunction::Sha256),
            "sha512" => Ok(HashFunction::Sha512),
            _ => Err("hash_function is neither sha256 nor sha512".to_owned()),
        }
    }

    fn value(&self, name: &str) -> Result<&Value, String> {
        self.0
            .get(name)
            .filter(|value| !matches!(value, Value::Null))
            .ok_or_else(|| format!("{name} is missing"))
    }
}

/// The name of a hash function in metadata.
pub(crate) fn hash_function_name(hash: HashFunction) -> &'static str {
    match hash {
        HashFunction::Sha256 => "sha256",
        HashFunction::Sha512 => "sha512",
    }
}
