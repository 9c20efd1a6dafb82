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
mod tests;
