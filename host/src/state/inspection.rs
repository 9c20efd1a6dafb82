//! What an envelope says in the clear. All of it is hostile, none of it
//! authenticated.

use serde_json::{Map, Value};

use crate::envelope::{Contents, Envelope, EnvelopeError, Identity, Kind};
use crate::guest_text::fit;
use crate::key_provider::metadata;
use crate::limits::Limits;

/// The most metadata entries that are shown.
const MAXIMUM_ENTRIES: usize = 100;

/// The most values of one entry that are shown, those within others included.
const MAXIMUM_VALUES: usize = 100;

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
    /// The providers' metadata, in the order of their keys.
    pub metadata: Vec<Entry>,
    /// How many entries there are besides these.
    pub more: usize,
}

/// One provider's metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The provider's address or alias, fit to be shown.
    pub key: String,
    /// The length of the stored text, in bytes.
    pub length: usize,
    /// The parameters, or why they cannot be read.
    pub parameters: Result<Parameters, String>,
}

/// What one provider stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The first values, fit to be shown.
    pub values: Map<String, Value>,
    /// How many values were left out, those within them not counted.
    pub more: usize,
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
        let entries = envelope.metadata.iter().take(MAXIMUM_ENTRIES);
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
                more: envelope.metadata.len().saturating_sub(MAXIMUM_ENTRIES),
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

fn parameters(key: &str, text: &str) -> Result<Parameters, String> {
    metadata::check(key, text, &Limits::default()).map_err(|error| error.to_string())?;
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("it is no JSON object".to_owned());
    };
    let mut room = Room {
        left: MAXIMUM_VALUES,
        more: 0,
    };
    Ok(Parameters {
        values: room.fields(fields),
        more: room.more,
    })
}

/// How many values are still shown, and how many are not.
struct Room {
    left: usize,
    more: usize,
}

impl Room {
    fn fields(&mut self, fields: Map<String, Value>) -> Map<String, Value> {
        let fields = fields.into_iter();
        let shown = fields.filter_map(|(name, value)| Some((fit(&name), self.value(value)?)));
        shown.collect()
    }

    /// The check bounded the depth.
    fn value(&mut self, value: Value) -> Option<Value> {
        if self.left == 0 {
            self.more += 1;
            return None;
        }
        self.left -= 1;
        Some(match value {
            Value::String(text) => Value::String(fit(&text)),
            Value::Array(elements) => {
                let elements = elements.into_iter();
                let shown = elements.filter_map(|value| self.value(value));
                let mut shown: Vec<_> = shown.collect();
                // Collecting can keep the room of all elements.
                shown.shrink_to_fit();
                Value::Array(shown)
            }
            Value::Object(fields) => Value::Object(self.fields(fields)),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;
    use zeroize::Zeroizing;

    use super::{Inspection, MAXIMUM_ENTRIES, MAXIMUM_VALUES, Parameters};
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
        let Parameters { values, more } = parameters;
        assert_eq!(*more, 0);
        let text = serde_json::to_string(values).expect("JSON");
        assert!(text.len() < 1_500, "{}", text.len());
        assert_eq!(values["salt"], json!("AA=="));
        assert_eq!(
            values["\\u{1b}[2J"],
            json!(["\\u{202e}evil", {"deep\\u{d}": "\\u{0}"}])
        );
    }

    /// Every entry as large as can be read, and as many as an envelope may have.
    #[test]
    fn much_metadata_is_counted_and_not_shown() {
        let flat: Vec<_> = (0..5_000).map(|number| format!("\"{number}\":0")).collect();
        let nested = format!("{{\"a\":[{}{{}}]}}", "0,".repeat(30_000));
        let values = [format!("{{{}}}", flat.join(",")), nested];
        let meta: serde_json::Map<_, _> = (0..1_000)
            .map(|number| {
                let text = STANDARD.encode(&values[number % 2]);
                (format!("k{number:03}"), json!(text))
            })
            .collect();
        let inspection = inspect(&json!({
            "meta": meta,
            "encrypted_data": "AAAA",
            "encryption_version": "v0",
        }));
        let facts = inspection.envelope.expect("envelope");
        assert_eq!((facts.metadata.len(), facts.more), (MAXIMUM_ENTRIES, 900));
        for (entry, left_out) in facts.metadata.iter().zip([4_900, 29_902].iter().cycle()) {
            let Parameters { values, more } = entry.parameters.as_ref().expect("parameters");
            assert_eq!(more, left_out);
            let nested = values.get("a").and_then(|value| value.as_array());
            assert_eq!(
                values.len() + nested.map_or(0, Vec::len),
                MAXIMUM_VALUES,
                "{}",
                entry.key
            );
        }
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
