use core::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::parameters::Hash;

/// The parameters of one derivation, with OpenTofu's names and order. Stored
/// metadata rules decryption alone; the host bounds the work that it asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Metadata {
    #[serde(with = "salt")]
    pub(crate) salt: Vec<u8>,
    pub(crate) iterations: NonZeroU32,
    pub(crate) hash_function: Hash,
    pub(crate) key_length: NonZeroU32,
}

/// A salt, in standard base64 and not empty.
mod salt {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(salt: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(salt))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        let salt = STANDARD
            .decode(String::deserialize(deserializer)?)
            .map_err(|error| D::Error::custom(format!("not standard base64: {error}")))?;
        if salt.is_empty() {
            return Err(D::Error::custom("empty"));
        }
        Ok(salt)
    }
}

#[cfg(test)]
mod tests {
    use keyhost_guest::Metadata as _;

    use super::Metadata;

    const STORED: &str =
        r#"{"salt":"AAECAw==","iterations":1000,"hash_function":"sha512","key_length":32}"#;

    #[test]
    fn keeps_the_order_and_spelling_of_the_stored_form() {
        let metadata = Metadata::read(STORED).and_then(|metadata| metadata.write());
        assert_eq!(metadata, Ok(Some(STORED.to_owned())));
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
            ("\"sha512\"", "{\"sha512\":null}"),
            ("AAECAw==", ""),
            ("AAECAw==", "AAECAw"),
            ("AAECAw==", "AAEC\\nAw=="),
            ("\"AAECAw==\"", "[0,1,2,3]"),
            ("\"salt\"", "\"Salt\""),
        ] {
            let text = STORED.replacen(from, to, 1);
            assert!(Metadata::read(&text).is_err(), "{text}");
        }
    }
}
