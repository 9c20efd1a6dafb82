//! The digest pin: a component runs only as the very file that was vetted.

use std::path::{Path, PathBuf};

use crate::digest::Digest;

/// The file is not the one that was vetted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the component {path} is not the file that was pinned: its SHA-256 digest is {actual}, the configuration says {expected}; if you vetted the new file, run `keyhost pin`",
    path = path.display()
)]
pub struct PinError {
    /// The file.
    pub path: PathBuf,
    /// The digest in the configuration.
    pub expected: Digest,
    /// The digest of the file.
    pub actual: Digest,
}

/// Compares a file's digest with the pin.
///
/// # Errors
/// [`PinError`] when they differ.
pub fn verify(path: &Path, expected: Digest, actual: Digest) -> Result<(), PinError> {
    if expected == actual {
        return Ok(());
    }
    Err(PinError {
        path: path.to_owned(),
        expected,
        actual,
    })
}
