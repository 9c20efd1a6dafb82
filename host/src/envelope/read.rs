//! Bytes of a file → what they hold.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};

use super::is_plan;
use super::{Envelope, EnvelopeError, Identity, Kind, MAXIMUM_METADATA_ENTRIES, Payload, VERSION};
use crate::key_provider::metadata::StoredMetadata;

/// The fields of both, an envelope and a state in the clear. Whether serial and
/// lineage are there tells a state's envelope from a plan's.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(default, deserialize_with = "present")]
    serial: Option<Option<i64>>,
    #[serde(default, deserialize_with = "present", borrow)]
    lineage: Option<Option<Text<'a>>>,
    #[serde(default, borrow)]
    meta: Entries<'a>,
    #[serde(default, borrow)]
    encrypted_data: Text<'a>,
    #[serde(default, borrow)]
    encryption_version: Text<'a>,
    /// A plain state's own version.
    version: Option<IgnoredAny>,
}

/// A text that is copied only where it is escaped.
#[derive(Default, Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Tells a field that is null from one that is not there.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The entries of `meta`, as many as are allowed.
#[derive(Default)]
struct Entries<'a>(Vec<(Text<'a>, Text<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("metadata by key")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            if entries.len() == MAXIMUM_METADATA_ENTRIES {
                return Err(A::Error::custom("too many entries"));
            }
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

impl Payload {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// [`EnvelopeError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        if is_plan(bytes) {
            return Ok(Self::Plain(Kind::Plan));
        }
        let written: Written<'_> = serde_json::from_slice(bytes).map_err(|error| {
            // The parser's own words could show what stands in a plain state.
            let kind = match error.classify() {
                serde_json::error::Category::Data => {
                    "a field has the wrong type, stands there twice or is too large"
                }
                _ => "it is not valid JSON",
            };
            let place = format!("{kind} at line {} column {}", error.line(), error.column());
            EnvelopeError::Malformed(place)
        })?;
        if written.encryption_version.0.is_empty() {
            return match written.version {
                Some(_) => Ok(Self::Plain(Kind::State)),
                None => Err(EnvelopeError::NotAState),
            };
        }
        if written.encryption_version.0 != VERSION {
            return Err(EnvelopeError::Version);
        }
        let identity = match (written.serial, written.lineage) {
            (None, None) => None,
            (serial, lineage) => Some(Identity {
                serial: serial.flatten(),
                lineage: lineage
                    .flatten()
                    .map_or_else(String::new, |text| text.0.into_owned()),
            }),
        };
        Ok(Self::Encrypted(Envelope {
            identity,
            metadata: metadata(written.meta)?,
            encrypted_data: decode("encrypted_data", &written.encrypted_data.0)?,
        }))
    }
}

fn metadata(entries: Entries<'_>) -> Result<StoredMetadata, EnvelopeError> {
    let mut metadata = StoredMetadata::new();
    for (key, text) in entries.0 {
        let bytes = decode("a meta entry", &text.0)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| EnvelopeError::Malformed("a meta entry is not UTF-8".to_owned()))?;
        // Which of two would count differs between readers.
        if metadata.insert(key.0.into_owned(), text).is_some() {
            let twice = "a meta entry stands there twice".to_owned();
            return Err(EnvelopeError::Malformed(twice));
        }
    }
    Ok(metadata)
}

fn decode(what: &str, text: &str) -> Result<Vec<u8>, EnvelopeError> {
    STANDARD
        .decode(text)
        .map_err(|_| EnvelopeError::Malformed(format!("{what} is not standard base64")))
}

#[cfg(test)]
mod tests {
    use super::{Envelope, EnvelopeError, Identity, Kind, MAXIMUM_METADATA_ENTRIES, Payload};

    fn envelope(text: &str) -> Envelope {
        match Payload::parse(text.as_bytes()) {
            Ok(Payload::Encrypted(envelope)) => envelope,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_plan_has_neither_serial_nor_lineage() {
        let rest = r#""meta":{},"encrypted_data":"","encryption_version":"v0"}"#;
        assert_eq!(envelope(&format!("{{{rest}")).kind(), Kind::Plan);
        for fields in [
            r#""serial":null,"lineage":"","#,
            r#""serial":null,"#,
            r#""lineage":null,"#,
        ] {
            let envelope = envelope(&format!("{{{fields}{rest}"));
            assert_eq!(envelope.identity, Some(Identity::default()), "{fields}");
        }
    }

    #[test]
    fn tells_states_and_plans_in_the_clear() {
        for (bytes, kind) in [
            (&b"{\"version\":4}"[..], Kind::State),
            (b"PK\x03\x04 and so on", Kind::Plan),
        ] {
            assert_eq!(Payload::parse(bytes), Ok(Payload::Plain(kind)));
        }
        for bytes in [&b"PK"[..], b"", b"null", b"[]", b"\xff"] {
            assert!(matches!(
                Payload::parse(bytes),
                Err(EnvelopeError::Malformed(_))
            ));
        }
        assert_eq!(Payload::parse(b"{}"), Err(EnvelopeError::NotAState));
    }

    #[test]
    fn escaped_texts_are_read_as_any() {
        let envelope = envelope(
            r#"{"serial":1,"lineage":"\u003ca\u0026b\u003e","meta":{"k\u0031":"e30="},"encrypted_data":"QU\u0046B","encryption_version":"v\u0030"}"#,
        );
        assert_eq!(
            envelope.identity.map(|identity| identity.lineage),
            Some("<a&b>".to_owned())
        );
        assert_eq!(envelope.metadata.get("k1"), Some(&"{}".to_owned()));
        assert_eq!(envelope.encrypted_data, b"AAA");
    }

    #[test]
    fn metadata_is_bounded_and_unambiguous() {
        let with = |entries: usize| {
            let entries: Vec<_> = (0..entries).map(|n| format!("\"k{n}\":\"e30=\"")).collect();
            format!(
                r#"{{"meta":{{{}}},"encrypted_data":"","encryption_version":"v0"}}"#,
                entries.join(",")
            )
        };
        let most = envelope(&with(MAXIMUM_METADATA_ENTRIES));
        assert_eq!(most.metadata.len(), MAXIMUM_METADATA_ENTRIES);
        for text in [
            with(MAXIMUM_METADATA_ENTRIES + 1),
            r#"{"meta":{"k":"e30=","k":"e30="},"encryption_version":"v0"}"#.to_owned(),
            r#"{"meta":{},"meta":{},"encryption_version":"v0"}"#.to_owned(),
            r#"{"encryption_version":"v0","encryption_version":"v0"}"#.to_owned(),
        ] {
            assert!(
                matches!(
                    Payload::parse(text.as_bytes()),
                    Err(EnvelopeError::Malformed(_))
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn deep_nesting_ends_in_an_error_or_is_skipped() {
        let deep = "[".repeat(1_000_000);
        for text in [
            deep.clone(),
            format!("{{\"meta\":{deep}"),
            format!("{{\"x\":{deep}"),
        ] {
            assert!(Payload::parse(text.as_bytes()).is_err());
        }
        let closed = format!("{{\"x\":{deep}{},\"version\":4}}", "]".repeat(1_000_000));
        let parsed = Payload::parse(closed.as_bytes());
        assert_eq!(parsed, Ok(Payload::Plain(Kind::State)));
    }
}
