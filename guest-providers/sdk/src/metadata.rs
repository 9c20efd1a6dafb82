//! Metadata, typed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fields;

/// What a key provider stores beside what is encrypted. Every type with serde's
/// `Serialize` and `Deserialize` is one.
///
/// Fields that the type does not know are ignored, and of a doubled field the
/// last value counts, as OpenTofu does.
pub trait Metadata: Sized {
    /// Whether there is any.
    const KEPT: bool = true;

    /// Reads what is stored. Anybody may have written it.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    fn read(text: &str) -> Result<Self, String>;

    /// The JSON to store.
    ///
    /// # Errors
    /// Why there is none, for people.
    fn write(&self) -> Result<Option<String>, String>;
}

impl<T: Serialize + DeserializeOwned> Metadata for T {
    fn read(text: &str) -> Result<Self, String> {
        fields::read(text)
    }

    fn write(&self) -> Result<Option<String>, String> {
        serde_json::to_string(self)
            .map(Some)
            .map_err(|error| error.to_string())
    }
}

/// The metadata of a key provider that keeps none: it is never given any, and
/// always makes both keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMetadata;

impl Metadata for NoMetadata {
    const KEPT: bool = false;

    fn read(_: &str) -> Result<Self, String> {
        Ok(Self)
    }

    fn write(&self) -> Result<Option<String>, String> {
        Ok(None)
    }
}
