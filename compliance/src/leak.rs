//! Finding secrets in texts, in every spelling that a careless or a cunning
//! author might use.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Shorter secrets are part of any text.
const MINIMUM_LENGTH: usize = 4;

/// A secret, and all its spellings.
pub(crate) struct Needle {
    name: String,
    spellings: Vec<(&'static str, Vec<u8>)>,
}

impl Needle {
    /// `None` for secrets too short to look for.
    pub(crate) fn new(name: &str, secret: &[u8]) -> Option<Self> {
        if secret.len() < MINIMUM_LENGTH {
            return None;
        }
        let hexadecimal = hex::encode(secret);
        let reversed: Vec<u8> = secret.iter().rev().copied().collect();
        let mut spellings = vec![
            ("raw", secret.to_vec()),
            ("reversed", reversed.clone()),
            ("hexadecimal", hexadecimal.clone().into_bytes()),
            ("hexadecimal", hexadecimal.to_uppercase().into_bytes()),
            ("hexadecimal, reversed", hex::encode(&reversed).into_bytes()),
            ("a list of numbers", list(secret).into_bytes()),
            (
                "UTF-16",
                secret.iter().flat_map(|byte| [*byte, 0]).collect(),
            ),
            (
                "UTF-16",
                secret.iter().flat_map(|byte| [0, *byte]).collect(),
            ),
        ];
        for offset in 0..3 {
            spellings.push(("base64", base64(&STANDARD_NO_PAD, secret, offset)));
            spellings.push(("URL-safe base64", base64(&URL_SAFE_NO_PAD, secret, offset)));
        }
        Some(Self {
            name: name.to_owned(),
            spellings,
        })
    }

    /// How the secret shows in a text, if it does.
    pub(crate) fn find(&self, text: &str) -> Option<String> {
        // Texts inside JSON are escaped: look at them as they are, too.
        let unescaped: Option<String> = serde_json::from_str::<serde_json::Value>(text)
            .ok()
            .map(|value| strings(&value));
        let unescaped = unescaped.unwrap_or_default();
        let shows = |spelling: &[u8]| {
            contains(text.as_bytes(), spelling) || contains(unescaped.as_bytes(), spelling)
        };
        let (kind, _) = self
            .spellings
            .iter()
            .find(|(_, spelling)| shows(spelling))?;
        Some(format!("{} ({kind})", self.name))
    }
}

fn list(secret: &[u8]) -> String {
    let numbers: Vec<_> = secret.iter().map(u8::to_string).collect();
    numbers.join(",")
}

/// What stays the same of a secret's base64 whatever stands around it, when it
/// begins at one of the three offsets.
fn base64(engine: &impl Engine, secret: &[u8], offset: usize) -> Vec<u8> {
    let padded = [&vec![0; offset], secret].concat();
    let whole = padded.len() / 3 * 4;
    let encoded = engine.encode(&padded);
    // The first group mixes in what stands before.
    let start = if offset == 0 { 0 } else { 4 };
    encoded.as_bytes()[start.min(whole)..whole].to_vec()
}

fn contains(text: &[u8], spelling: &[u8]) -> bool {
    spelling.len() >= MINIMUM_LENGTH
        && text
            .windows(spelling.len())
            .any(|window| window == spelling)
}

/// Every text in a JSON value, one after the other.
fn strings(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{text}\n"),
        serde_json::Value::Array(elements) => elements.iter().map(strings).collect(),
        serde_json::Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name}\n{}", strings(value)))
            .collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::Needle;

    const SECRET: &[u8] = b"canary \xc3\xbf?>~ 0123456789";

    #[test]
    fn finds_every_spelling_wherever_it_stands() {
        let needle = Needle::new("key", SECRET).expect("long enough");
        let reversed: Vec<u8> = SECRET.iter().rev().copied().collect();
        let mut texts = vec![
            String::from_utf8_lossy(SECRET).into_owned(),
            hex::encode(SECRET),
            hex::encode_upper(SECRET),
            hex::encode(&reversed),
            format!(
                "{{\"a\":{}}}",
                serde_json::json!(String::from_utf8_lossy(SECRET))
            ),
            format!("{SECRET:?}").replace(' ', ""),
        ];
        for before in ["", "x", "xy", "xyz"] {
            let text = [before.as_bytes(), SECRET, b"after"].concat();
            texts.push(STANDARD.encode(&text));
            texts.push(URL_SAFE.encode(&text));
        }
        for text in texts {
            assert!(
                needle.find(&format!("… {text} …")).is_some() || needle.find(&text).is_some(),
                "{text}"
            );
        }
    }

    #[test]
    fn finds_nothing_where_nothing_is() {
        let needle = Needle::new("key", SECRET).expect("long enough");
        assert_eq!(needle.find("{\"salt\":\"AAECAwQFBgcICQoLDA0ODw==\"}"), None);
        assert!(Needle::new("key", b"abc").is_none());
    }
}
