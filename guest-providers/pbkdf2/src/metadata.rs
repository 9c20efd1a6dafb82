use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use keyhost_guest::crypto::HashFunction;
use keyhost_guest::{Error, invalid_metadata};
use miniserde::{Serialize, json};

use crate::parameters::{Parameters, hash_function_name};

/// The parameters of one derivation, as OpenTofu stores them. Stored metadata
/// rules decryption alone; the host bounds the work that it asks for.
pub(crate) struct Metadata {
    pub(crate) salt: Vec<u8>,
    pub(crate) iterations: u32,
    pub(crate) hash: HashFunction,
    pub(crate) key_length: u32,
}

/// The JSON of [`Metadata`], with OpenTofu's names and order.
#[derive(Serialize)]
struct Stored {
    salt: String,
    iterations: u32,
    hash_function: &'static str,
    key_length: u32,
}

impl Metadata {
    /// Accepts unknown fields, and of a doubled field the last value, as
    /// OpenTofu does.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(invalid_metadata)
    }

    fn read(text: &str) -> Result<Self, String> {
        let stored = Parameters::parse(text)?;
        Ok(Self {
            salt: STANDARD
                .decode(stored.text("salt")?)
                .map_err(|error| format!("salt is not standard base64: {error}"))?,
            iterations: stored.positive("iterations")?,
            hash: stored.hash_function()?,
            key_length: stored.positive("key_length")?,
        })
    }

    pub(crate) fn to_json(&self) -> String {
        json::to_string(&Stored {
            salt: STANDARD.encode(&self.salt),
            iterations: self.iterations,
            hash_function: hash_function_name(self.hash),
            key_length: self.key_length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Metadata;

    const STORED: &str =
        r#"{"salt":"AAECAw==","iterations":1000,"hash_function":"sha512","key_length":32}"#;

    #[test]
    fn keeps_the_order_and_spelling_of_the_stored_form() {
        let metadata = Metadata::parse(STORED)
            .ok()
            .map(|metadata| metadata.to_json());
        assert_eq!(metadata.as_deref(), Some(STORED));
    }

    #[test]
    fn refuses_what_is_not_exactly_a_parameter() {
        for (from, to) in [
            ("1000", "0"),
            ("1000", "-1"),
            ("1000", "1000.0"),
            ("1000", "1e3"),
            ("1000", "\"1000\""),
            ("1000", "null"),
            ("1000", "4294967296"),
            ("1000", "9223372036854775808"),
            (":32", ":0"),
            ("sha512", "SHA512"),
            ("sha512", ""),
            ("AAECAw==", ""),
            ("AAECAw==", "AAECAw"),
            ("AAECAw==", "AAEC\\nAw=="),
            ("\"AAECAw==\"", "[0,1,2,3]"),
            ("\"salt\"", "\"Salt\""),
        ] {
            let text = STORED.replacen(from, to, 1);
            assert!(Metadata::parse(&text).is_err(), "{text}");
        }
    }
}
