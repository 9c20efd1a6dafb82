//! OpenTofu's `external` key provider protocol, version 1: a header line and a
//! JSON body on standard output, stored metadata on standard input.
//! <https://opentofu.org/docs/language/state/encryption/#external-experimental>

use std::collections::BTreeMap;
use std::io::{self, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::key_provider::metadata::{Purpose, StoredMetadata};
use crate::key_provider::output::Output;

/// The first line of every answer, before anything else is known.
pub const HEADER: &str = "{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":1}\n";

/// The version of what stands in `external_data`.
const FORMAT_VERSION: u64 = 1;

/// The most that is read from OpenTofu, in bytes: metadata of a long chain.
const MAXIMUM_INPUT_SIZE: u64 = 4 << 20;

/// OpenTofu's input cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// Reading failed.
    #[error("standard input cannot be read: {0}")]
    Read(#[source] io::Error),
    /// There was no input.
    #[error("standard input is empty: OpenTofu sends null, or the metadata that it stored")]
    Empty,
    /// There was too much.
    #[error("standard input is longer than {MAXIMUM_INPUT_SIZE} bytes")]
    TooLong,
    /// It is not JSON.
    #[error("standard input is not one JSON value: line {line}, column {column}")]
    Syntax {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// It is JSON of another shape.
    #[error("standard input is not what OpenTofu sends: {0}")]
    Shape(&'static str),
    /// The metadata is not ours.
    #[error(
        "the stored metadata is not keyhost's: {0}; was this data encrypted by another program?"
    )]
    Foreign(String),
}

/// What keyhost stores through OpenTofu. Each provider's metadata is a text, so
/// that it survives the way through OpenTofu's own representation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExternalData {
    format_version: u64,
    metadata: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default)]
    external_data: Option<Value>,
}

#[derive(Serialize)]
struct Answer<'a> {
    keys: Keys,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Keys {
    encryption_key: Zeroizing<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decryption_key: Option<Zeroizing<String>>,
}

#[derive(Serialize)]
struct Meta<'a> {
    external_data: &'a ExternalData,
}

/// Reads OpenTofu's request: `null`, `{"external_data":null}` and `{}` ask for
/// an encryption key alone; everything else wants decryption.
///
/// # Errors
/// [`ExternalError`].
pub fn read_request(input: impl Read) -> Result<Purpose, ExternalError> {
    let mut bytes = Vec::new();
    input
        .take(MAXIMUM_INPUT_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(ExternalError::Read)?;
    if bytes.is_empty() {
        return Err(ExternalError::Empty);
    }
    if bytes.len() as u64 > MAXIMUM_INPUT_SIZE {
        return Err(ExternalError::TooLong);
    }
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| ExternalError::Syntax {
        line: error.line(),
        column: error.column(),
    })?;
    match value {
        Value::Null => return Ok(Purpose::Encrypt),
        Value::Object(_) => {}
        _ => return Err(ExternalError::Shape("it is neither null nor an object")),
    }
    // Read again, since a value forgets doubled fields.
    let request: Request = serde_json::from_slice(&bytes).map_err(|_| {
        ExternalError::Shape("it has a field besides external_data, or that one twice")
    })?;
    match request.external_data {
        None => Ok(Purpose::Encrypt),
        Some(data) => stored(data).map(Purpose::Decrypt),
    }
}

fn stored(data: Value) -> Result<StoredMetadata, ExternalError> {
    let Value::Object(fields) = data else {
        return Err(ExternalError::Shape("external_data is not an object"));
    };
    // Decryption is wanted and nothing is stored: the providers will say what
    // they miss.
    if fields.is_empty() {
        return Ok(StoredMetadata::new());
    }
    if let Some(version) = fields.get("format_version")
        && version.as_u64() != Some(FORMAT_VERSION)
    {
        let message = format!("its format_version is not {FORMAT_VERSION}");
        return Err(ExternalError::Foreign(message));
    }
    let data: ExternalData = serde_json::from_value(Value::Object(fields)).map_err(|_| {
        ExternalError::Foreign("it has other fields than keyhost writes".to_owned())
    })?;
    Ok(data.metadata)
}

/// The body of an answer: keys in standard base64 with padding, and the
/// metadata.
///
/// # Errors
/// None in practice: everything in it is text.
pub fn answer(output: Output) -> Result<Zeroizing<Vec<u8>>, serde_json::Error> {
    let encode = |bytes: &[u8]| Zeroizing::new(STANDARD.encode(bytes));
    let data = ExternalData {
        format_version: FORMAT_VERSION,
        metadata: output.metadata,
    };
    let decryption_key = output.keys.decryption_key;
    let answer = Answer {
        keys: Keys {
            encryption_key: encode(output.keys.encryption_key.expose()),
            decryption_key: decryption_key.map(|key| encode(key.expose())),
        },
        meta: Meta {
            external_data: &data,
        },
    };
    let mut body = Zeroizing::new(serde_json::to_vec(&answer)?);
    body.push(b'\n');
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::{ExternalError, MAXIMUM_INPUT_SIZE, Purpose, read_request};

    fn read(text: &str) -> Result<Purpose, ExternalError> {
        read_request(text.as_bytes())
    }

    #[test]
    fn every_form_of_encrypt_only() {
        for text in [
            "null",
            "null\n",
            "{\"external_data\":null}",
            "{\"external_data\":null}\n",
            "{}",
            " null ",
        ] {
            assert!(matches!(read(text), Ok(Purpose::Encrypt)), "{text}");
        }
    }

    #[test]
    fn stored_metadata_means_decryption() {
        let text = r#"{"external_data":{"format_version":1,"metadata":{"key_provider.a.b":"{\"x\": 1e3}"}}}"#;
        let Ok(Purpose::Decrypt(stored)) = read(text) else {
            panic!("not decrypt");
        };
        assert_eq!(stored["key_provider.a.b"], "{\"x\": 1e3}");
        assert!(
            matches!(read("{\"external_data\":{}}"), Ok(Purpose::Decrypt(stored)) if stored.is_empty())
        );
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "{",
            "[]",
            "1",
            "\"x\"",
            "nul",
            "nullnull",
            "null null",
            "{} x",
            "{\"external_data\":[]}",
            "{\"external_data\":1}",
            "{\"x\":1}",
            "{\"external_data\":null,\"x\":1}",
            "{\"external_data\":{},\"external_data\":null}",
            "[null]",
            "{\"external_data\":{\"salt\":\"AA==\"}}",
            "{\"external_data\":{\"format_version\":2,\"metadata\":{}}}",
            "{\"external_data\":{\"format_version\":1}}",
            "{\"external_data\":{\"format_version\":1,\"metadata\":{},\"x\":1}}",
            "{\"external_data\":{\"format_version\":1,\"metadata\":{\"a\":{}}}}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let long = " ".repeat(usize::try_from(MAXIMUM_INPUT_SIZE).expect("size") + 1);
        assert!(matches!(read(&long), Err(ExternalError::TooLong)));
    }
}
