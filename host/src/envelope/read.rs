//! Bytes of a file → what they hold.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use zeroize::Zeroizing;

use super::{
    Contents, Envelope, EnvelopeError, Identity, Kind, MAXIMUM_METADATA_ENTRIES, VERSION,
    base64_in_place, is_plan,
};
use crate::crypto::aead;
use crate::key_provider::metadata::StoredMetadata;
use crate::secret::Secret;

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

/// What only a state in the clear has.
#[derive(Deserialize)]
struct Plain {
    version: Option<IgnoredAny>,
    resources: Option<IgnoredAny>,
    outputs: Option<IgnoredAny>,
    modules: Option<IgnoredAny>,
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

/// What there is of an envelope before its data is decoded.
struct Parsed {
    identity: Option<Identity>,
    metadata: StoredMetadata,
    data: EncodedData,
}

enum EncodedData {
    /// Where it stands in the file.
    Within(Range<usize>),
    /// It was escaped, which OpenTofu never does.
    Unescaped(String),
}

impl Contents {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// [`EnvelopeError`].
    pub fn of(mut bytes: Zeroizing<Vec<u8>>) -> Result<Self, EnvelopeError> {
        let parsed = if is_plan(&bytes) {
            Err(Kind::Plan)
        } else {
            parse(&bytes)?.ok_or(Kind::State)
        };
        let mut bytes = std::mem::take(&mut *bytes);
        let Parsed {
            identity,
            metadata,
            data,
        } = match parsed {
            Ok(parsed) => parsed,
            Err(kind) => return Ok(Self::Plain(kind, Secret::new(bytes))),
        };
        let decoded = match data {
            EncodedData::Within(range) => {
                base64_in_place::decode(&mut bytes, range).map(|()| bytes)
            }
            EncodedData::Unescaped(text) => STANDARD.decode(text).ok(),
        };
        Ok(Self::Encrypted(Envelope {
            identity,
            metadata,
            encrypted_data: decoded.ok_or_else(|| not_base64("encrypted_data"))?,
        }))
    }
}

/// Whether a file's bytes are nothing but an encrypted state or plan. Who only
/// says so, and has a state's fields beside it or less data than any encryption
/// makes, is in the clear. No key is needed, and nothing is authenticated.
///
/// # Errors
/// [`EnvelopeError`].
pub fn is_encrypted(bytes: Zeroizing<Vec<u8>>) -> Result<bool, EnvelopeError> {
    let plain: Option<Plain> = serde_json::from_slice(&bytes).ok();
    let has_plain_fields = plain.is_some_and(|plain| {
        let fields = [plain.version, plain.resources, plain.outputs, plain.modules];
        fields.iter().any(Option::is_some)
    });
    Ok(match Contents::of(bytes)? {
        Contents::Plain(..) => false,
        Contents::Encrypted(envelope) => {
            !has_plain_fields && envelope.encrypted_data.len() >= aead::OVERHEAD
        }
    })
}

/// `None`: a state in the clear.
fn parse(bytes: &[u8]) -> Result<Option<Parsed>, EnvelopeError> {
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
            Some(_) => Ok(None),
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
    Ok(Some(Parsed {
        identity,
        metadata: metadata(written.meta)?,
        data: match written.encrypted_data.0 {
            Cow::Borrowed(text) => EncodedData::Within(place(bytes, text)),
            Cow::Owned(text) => EncodedData::Unescaped(text),
        },
    }))
}

/// Where a text that was borrowed from bytes stands in them.
fn place(bytes: &[u8], text: &str) -> Range<usize> {
    let start = (text.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
    match start.checked_add(text.len()) {
        Some(end) if end <= bytes.len() => start..end,
        // The empty text of a field that is not there.
        _ => 0..0,
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
    STANDARD.decode(text).map_err(|_| not_base64(what))
}

fn not_base64(what: &str) -> EnvelopeError {
    EnvelopeError::Malformed(format!("{what} is not standard base64"))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use zeroize::Zeroizing;

    use super::{
        Contents, Envelope, EnvelopeError, Identity, Kind, MAXIMUM_METADATA_ENTRIES, is_encrypted,
    };
    use crate::secret::Secret;

    fn read(bytes: &[u8]) -> Result<Contents, EnvelopeError> {
        Contents::of(Zeroizing::new(bytes.to_vec()))
    }

    fn envelope(text: &str) -> Envelope {
        match read(text.as_bytes()) {
            Ok(Contents::Encrypted(envelope)) => envelope,
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
            let expected = Contents::Plain(kind, Secret::from(bytes));
            assert_eq!(read(bytes), Ok(expected));
        }
        for bytes in [&b"PK"[..], b"", b"null", b"[]", b"\xff"] {
            assert!(matches!(read(bytes), Err(EnvelopeError::Malformed(_))));
        }
        assert_eq!(read(b"{}"), Err(EnvelopeError::NotAState));
    }

    #[test]
    fn who_only_says_that_it_is_encrypted_is_not() {
        let encrypted = |bytes: &[u8]| is_encrypted(Zeroizing::new(bytes.to_vec()));
        let with = |fields: &str, length: usize| {
            let data = STANDARD.encode(vec![1; length]);
            let text = format!(
                r#"{{{fields}"meta":{{}},"encrypted_data":"{data}","encryption_version":"v0"}}"#
            );
            encrypted(text.as_bytes())
        };
        // A nonce and a tag: 12 and 16 bytes.
        assert_eq!(with("", 28), Ok(true));
        assert_eq!(with(r#""serial":1,"lineage":"l","#, 300), Ok(true));
        assert_eq!(with("", 27), Ok(false));
        for fields in [
            r#""version":4,"serial":1,"#,
            r#""resources":[],"#,
            r#""outputs":{},"#,
            r#""modules":[{"path":["root"]}],"#,
        ] {
            assert_eq!(with(fields, 300), Ok(false), "{fields}");
        }
        assert_eq!(
            encrypted(br#"{"version":4,"resources":[],"encryption_version":"v0"}"#),
            Ok(false)
        );
        assert_eq!(encrypted(br#"{"version":4}"#), Ok(false));
        assert_eq!(encrypted(b"PK\x03\x04 and so on"), Ok(false));
        assert_eq!(encrypted(b"{}"), Err(EnvelopeError::NotAState));
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
                matches!(read(text.as_bytes()), Err(EnvelopeError::Malformed(_))),
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
            assert!(read(text.as_bytes()).is_err());
        }
        let closed = format!("{{\"x\":{deep}{},\"version\":4}}", "]".repeat(1_000_000));
        let parsed = read(closed.as_bytes());
        assert!(matches!(parsed, Ok(Contents::Plain(Kind::State, _))));
    }
}
