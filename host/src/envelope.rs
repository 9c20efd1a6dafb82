//! The JSON that OpenTofu writes in a state's or plan's place when it is
//! encrypted:
//! `{"serial":…,"lineage":…,"meta":{…},"encrypted_data":…,"encryption_version":"v0"}`.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::key_provider::metadata::StoredMetadata;

/// The only version of the format.
const VERSION: &str = "v0";

/// An encrypted state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The state's serial, in the clear and unauthenticated.
    pub serial: Option<i64>,
    /// The state's lineage, in the clear and unauthenticated; may be empty.
    pub lineage: String,
    /// The key providers' metadata.
    pub metadata: StoredMetadata,
    /// Nonce, ciphertext and tag.
    pub encrypted_data: Vec<u8>,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// An encrypted state.
    Encrypted(Envelope),
    /// A state in the clear.
    Plain,
}

/// A file is not what OpenTofu writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// Not JSON, or fields of the wrong type.
    #[error("it is no encrypted state: {0}")]
    Malformed(String),
    /// JSON of something else.
    #[error("it is neither an encrypted nor a plain state")]
    NotAState,
    /// Another version of the format.
    #[error("its encryption_version is not \"{VERSION}\"")]
    Version,
    /// The state inside is another one than the envelope says.
    #[error("its envelope was changed: {0} is not that of the state inside")]
    Mismatch(&'static str),
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    serial: Option<i64>,
    #[serde(default)]
    lineage: Option<String>,
    #[serde(default)]
    meta: BTreeMap<String, String>,
    #[serde(default)]
    encrypted_data: String,
    #[serde(default)]
    encryption_version: String,
    /// A plain state's own version.
    #[serde(default)]
    version: Option<serde_json::Value>,
}

impl Payload {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// [`EnvelopeError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let written: Written = serde_json::from_slice(bytes).map_err(|error| {
            // The parser's own words could show what stands in a plain state.
            let kind = match error.classify() {
                serde_json::error::Category::Data => "a field has the wrong type",
                _ => "it is not valid JSON",
            };
            let place = format!("{kind} at line {} column {}", error.line(), error.column());
            EnvelopeError::Malformed(place)
        })?;
        if written.encryption_version.is_empty() {
            return match written.version {
                Some(_) => Ok(Self::Plain),
                None => Err(EnvelopeError::NotAState),
            };
        }
        if written.encryption_version != VERSION {
            return Err(EnvelopeError::Version);
        }
        let decode = |what: &str, text: &str| {
            let malformed = |_| EnvelopeError::Malformed(format!("{what} is not standard base64"));
            STANDARD.decode(text).map_err(malformed)
        };
        let mut metadata = StoredMetadata::new();
        for (key, text) in &written.meta {
            let bytes = decode("a meta entry", text)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| EnvelopeError::Malformed("a meta entry is not UTF-8".to_owned()))?;
            metadata.insert(key.clone(), text);
        }
        Ok(Self::Encrypted(Envelope {
            serial: written.serial,
            lineage: written.lineage.unwrap_or_default(),
            metadata,
            encrypted_data: decode("encrypted_data", &written.encrypted_data)?,
        }))
    }
}

/// What a state says of itself.
#[derive(Deserialize)]
struct State {
    #[serde(default)]
    serial: Option<i64>,
    #[serde(default)]
    lineage: Option<String>,
}

impl Envelope {
    /// Compares the envelope with the state that was inside.
    ///
    /// # Errors
    /// [`EnvelopeError::Mismatch`]: somebody changed the envelope.
    pub fn verify(&self, plaintext: &[u8]) -> Result<(), EnvelopeError> {
        let state: State = serde_json::from_slice(plaintext)
            .map_err(|_| EnvelopeError::Malformed("what is inside is no state".to_owned()))?;
        if self
            .serial
            .is_some_and(|serial| state.serial.unwrap_or(0) != serial)
        {
            return Err(EnvelopeError::Mismatch("serial"));
        }
        if !self.lineage.is_empty() && state.lineage.unwrap_or_default() != self.lineage {
            return Err(EnvelopeError::Mismatch("lineage"));
        }
        Ok(())
    }
}
