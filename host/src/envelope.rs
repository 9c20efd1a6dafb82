//! The JSON that OpenTofu writes in a state's or plan's place when it is
//! encrypted:
//! `{"serial":…,"lineage":…,"meta":{…},"encrypted_data":…,"encryption_version":"v0"}`,
//! for a plan without the first two.

mod base64_in_place;
mod read;
mod write;

use std::fmt;

pub use read::is_encrypted;
use serde::Deserialize;

use crate::key_provider::metadata::StoredMetadata;
use crate::secret::Secret;

/// The only version of the format.
pub const VERSION: &str = "v0";

/// The most providers' metadata in one envelope.
pub const MAXIMUM_METADATA_ENTRIES: usize = 1_000;

/// How a zip archive, and so a plan, begins.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// What OpenTofu encrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A state: JSON.
    State,
    /// A plan: a zip archive.
    Plan,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::State => "state",
            Self::Plan => "plan",
        })
    }
}

/// What a state says of itself, in the clear and unauthenticated where it
/// stands in an envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The state's serial.
    pub serial: Option<i64>,
    /// The state's lineage; may be empty.
    pub lineage: String,
}

/// An encrypted state or plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Which state is inside; plans' envelopes do not say.
    pub identity: Option<Identity>,
    /// The key providers' metadata.
    pub metadata: StoredMetadata,
    /// Nonce, ciphertext and tag.
    pub encrypted_data: Vec<u8>,
}

/// What a file holds. It stands in the buffer that was read, and is not copied.
#[derive(Debug, PartialEq, Eq)]
pub enum Contents {
    /// An encrypted state or plan.
    Encrypted(Envelope),
    /// A state or plan in the clear.
    Plain(Kind, Secret),
}

impl Contents {
    /// What it is or, as far as its envelope tells, what is inside.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Encrypted(envelope) => envelope.kind(),
            Self::Plain(kind, _) => *kind,
        }
    }
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
    /// What is to be inside is something else.
    #[error("what is inside is no {0}")]
    Content(Kind),
}

#[derive(Deserialize)]
struct WrittenIdentity {
    #[serde(default)]
    serial: Option<i64>,
    #[serde(default)]
    lineage: Option<String>,
}

impl Identity {
    /// What a state in the clear says of itself.
    ///
    /// # Errors
    /// [`EnvelopeError::Content`] for what is no JSON object, and for fields of
    /// another type.
    pub fn of_state(plaintext: &[u8]) -> Result<Self, EnvelopeError> {
        let written: WrittenIdentity =
            serde_json::from_slice(plaintext).map_err(|_| EnvelopeError::Content(Kind::State))?;
        Ok(Self {
            serial: written.serial,
            lineage: written.lineage.unwrap_or_default(),
        })
    }
}

impl Envelope {
    /// Whether it says which state is inside: of plans' envelopes none does.
    pub fn kind(&self) -> Kind {
        match self.identity {
            Some(_) => Kind::State,
            None => Kind::Plan,
        }
    }

    /// Compares the envelope with the state or plan that was inside.
    ///
    /// # Errors
    /// [`EnvelopeError::Mismatch`]: somebody changed the envelope;
    /// [`EnvelopeError::Content`]: something else is inside.
    pub fn verify(&self, plaintext: &[u8], kind: Kind) -> Result<(), EnvelopeError> {
        if kind == Kind::Plan {
            return is_plan(plaintext)
                .then_some(())
                .ok_or(EnvelopeError::Content(kind));
        }
        let inside = Identity::of_state(plaintext)?;
        let Some(identity) = &self.identity else {
            return Ok(());
        };
        if identity
            .serial
            .is_some_and(|serial| inside.serial.unwrap_or(0) != serial)
        {
            return Err(EnvelopeError::Mismatch("serial"));
        }
        if !identity.lineage.is_empty() && inside.lineage != identity.lineage {
            return Err(EnvelopeError::Mismatch("lineage"));
        }
        Ok(())
    }
}

/// Whether bytes begin as a plan in the clear does.
pub fn is_plan(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP_MAGIC)
}
