use std::path::PathBuf;
use std::time::Duration;

/// A storage fails. The messages name the place and hold neither values nor
/// passwords.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The address is no address of a redis server.
    #[error(
        "the address of the redis storage is wrong: {reason}; \
         write redis://HOST:PORT, or rediss://HOST:PORT for TLS"
    )]
    Address {
        /// What is wrong with it.
        reason: String,
    },
    /// The file of the certificate authority cannot be used.
    #[error(
        "the certificate file {} cannot be used: {reason}; \
         give a PEM file with the certificate of the server's authority",
        path.display()
    )]
    Authority {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The server cannot be reached, or refuses to serve.
    #[error("the storage at {place} is not available: {reason}")]
    Unavailable {
        /// `HOST:PORT`
        place: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Another process holds the file for longer than the wait.
    #[error(
        "another process has held the storage {} for more than {} s; \
         end that process, or try again later",
        path.display(),
        waited.as_secs_f32()
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// The wait.
        waited: Duration,
    },
    /// The file is no storage. It was left as it is.
    #[error(
        "the storage {} is damaged: {reason}; \
         it was left as it is: restore it from a backup, or move it away",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another user could read or change the file.
    #[error(
        "the storage does not use {}: {reason}; \
         directory and file must be yours, and closed to other users",
        path.display()
    )]
    Insecure {
        /// The file or its directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A value is longer than [`super::LONGEST_VALUE`].
    #[error(
        "the storage at {place} has a value of more than {} bytes, which is not read or kept",
        super::LONGEST_VALUE
    )]
    TooLong {
        /// The file, or `HOST:PORT`.
        place: String,
    },
    /// There is no place for it.
    #[error("there is no place for the storage: set HOME, or configure a `storage \"file\"` block")]
    Nowhere,
    /// Another process was first to keep what can be kept once.
    #[error("another process made the key of {key} at the same time; try again")]
    Overtaken {
        /// What the key is kept under.
        key: String,
    },
    /// Reading or writing failed.
    #[error("the storage at {place} failed: {reason}")]
    Failed {
        /// The file, or `HOST:PORT`.
        place: String,
        /// Why.
        reason: String,
    },
}
