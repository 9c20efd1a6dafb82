//! Reading a component's file, bounded.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::limits::{Limit, LimitExceeded, Limits};

/// A component's file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Reading failed.
    #[error("the component {path} cannot be read: {reason}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        reason: io::Error,
    },
    /// It is not a regular file.
    #[error("the component {path} is not a regular file", path = path.display())]
    NotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// The file is larger than the limit.
    #[error("the component {path} is too large: {exceeded}", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        exceeded: LimitExceeded,
    },
}

/// Reads a component's file, up to the limit `component_size`.
///
/// # Errors
/// [`SourceError`].
pub fn read(path: &Path, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    let failed = |reason| SourceError::Read {
        path: path.to_owned(),
        reason,
    };
    // A FIFO without a writer must not keep us waiting.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(SourceError::NotAFile {
            path: path.to_owned(),
        });
    }
    let too_large = |exceeded| SourceError::TooLarge {
        path: path.to_owned(),
        exceeded,
    };
    limits
        .check(Limit::ComponentSize, metadata.len())
        .map_err(too_large)?;
    let mut bytes = Vec::new();
    file.take(metadata.len().saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    limits
        .check(Limit::ComponentSize, bytes.len() as u64)
        .map_err(too_large)?;
    Ok(bytes)
}
