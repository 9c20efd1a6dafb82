//! What an envelope says in the clear. All of it is hostile, none of it
//! authenticated.

use serde_json::Value;

use crate::envelope::{Contents, Envelope, EnvelopeError, Identity, Kind};
use crate::guest_text::fit;
use crate::key_provider::metadata;
use crate::limits::Limits;

/// What can be told of a file without any key.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// What it is, or what is inside.
    pub kind: Kind,
    /// Serial and lineage, fit to be shown. Plans have none.
    pub identity: Option<Identity>,
    /// What only an encrypted file has.
    pub envelope: Option<EnvelopeFacts>,
}

/// What an envelope says.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvelopeFacts {
    /// The length of nonce, ciphertext and tag, in bytes.
    pub encrypted_data: usize,
    /// Every provider's metadata, in the order of their keys.
    pub metadata: Vec<Entry>,
}

/// One provider's metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The provider's address or alias, fit to be shown.
    pub key: String,
    /// The length of the stored text, in bytes.
    pub length: usize,
    /// The parameters, fit to be shown, or why they cannot be read.
    pub parameters: Result<serde_json::Map<String, Value>, String>,
}

impl Inspection {
    /// Reads what a file says.
    ///
    /// # Errors
    /// [`EnvelopeError`].
    pub fn of(contents: &Contents) -> Result<Self, EnvelopeError> {
        Ok(match contents {
            Contents::Plain(Kind::Plan, _) => Self {
                kind: Kind::Plan,
                identity: None,
                envelope: None,
            },
            Contents::Plain(Kind::State, plaintext) => Self {
                kind: Kind::State,
                identity: Some(shown(&Identity::of_state(plaintext.expose())?)),
                envelope: None,
            },
            Contents::Encrypted(envelope) => Self::of_envelope(envelope),
        })
    }

    fn of_envelope(envelope: &Envelope) -> Self {
        let entries = envelope.metadata.iter();
        let entries = entries.map(|(key, text)| {
            let key = fit(key);
            Entry {
                parameters: parameters(&key, text),
                length: text.len(),
                key,
            }
        });
        Self {
            kind: envelope.kind(),
            identity: envelope.identity.as_ref().map(shown),
            envelope: Some(EnvelopeFacts {
                encrypted_data: envelope.encrypted_data.len(),
                metadata: entries.collect(),
            }),
        }
    }
}

fn shown(identity: &Identity) -> Identity {
    Identity {
        serial: identity.serial,
        lineage: fit(&identity.lineage),
    }
}

fn parameters(key: &str, text: &str) -> Result<serde_json::Map<String, Value>, String> {
    metadata::check(key, text, &Limits::default()).map_err(|error| error.to_string())?;
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields
            .into_iter()
            .map(|(name, value)| (fit(&name), fitted(value)))
            .collect()),
        _ => Err("it is no JSON object".to_owned()),
    }
}

/// The check bounded the depth.
fn fitted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(fit(&text)),
        Value::Array(elements) => elements.into_iter().map(fitted).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (fit(&name), fitted(value)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;
    use zeroize::Zeroizing;

    use super::Inspection;
    use crate::envelope::{Contents, Kind};

    fn inspect(envelope: &serde_json::Value) -> Inspection {
        let bytes = Zeroizing::new(envelope.to_string().into_bytes());
        let contents = Contents::of(bytes).expect("contents");
        Inspection::of(&contents).expect("inspection")
    }

    #[test]
    fn hostile_texts_are_made_fit() {
        let metadata = json!({
            "salt": "AA==",
            "\u{1b}[2J": ["\u{202e}evil", {"deep\r": "\u{0}"}],
            "long": "x".repeat(50_000),
        });
        let envelope = json!({
            "serial": 1,
            "lineage": "\u{1b}]0;title\u{7}",
            "meta": {"a\nb": STANDARD.encode(metadata.to_string())},
            "encrypted_data": "",
            "encryption_version": "v0",
        });
        let inspection = inspect(&envelope);
        let identity = inspection.identity.expect("identity");
        assert_eq!(identity.lineage, "\\u{1b}]0;title\\u{7}");
        let facts = inspection.envelope.expect("envelope");
        assert_eq!(facts.metadata[0].key, "a\\u{a}b");
        let parameters = facts.metadata[0].parameters.as_ref().expect("parameters");
        let text = serde_json::to_string(parameters).expect("JSON");
        assert!(text.len() < 1_500, "{}", text.len());
        assert_eq!(parameters["salt"], json!("AA=="));
        assert_eq!(
            parameters["\\u{1b}[2J"],
            json!(["\\u{202e}evil", {"deep\\u{d}": "\\u{0}"}])
        );
    }

    #[test]
    fn what_cannot_be_read_is_said_and_not_shown() {
        let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(70_000));
        for (text, reason) in [
            ("[]", "the metadata k is not a JSON object"),
            ("{", "the metadata k is not valid JSON at line 1 column 1"),
            (huge.as_str(), "limit metadata"),
        ] {
            let envelope = json!({
                "meta": {"k": STANDARD.encode(text)},
                "encrypted_data": "AAAA",
                "encryption_version": "v0",
            });
            let inspection = inspect(&envelope);
            assert_eq!(inspection.kind, Kind::Plan);
            let facts = inspection.envelope.expect("envelope");
            assert_eq!(
                (facts.encrypted_data, facts.metadata[0].length),
                (3, text.len())
            );
            let error = facts.metadata[0]
                .parameters
                .as_ref()
                .expect_err("unreadable");
            assert!(error.contains(reason), "{error}");
        }
    }
}
