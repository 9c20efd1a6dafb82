//! Bytes by key, kept between calls and processes: in a file of this machine
//! or on a redis server.

mod bucket;
mod embedded;
mod error;
mod memory;
mod nowhere;
mod redis;
#[cfg(test)]
mod suite;

pub(crate) use self::bucket::FirstWrite;
pub use self::bucket::{Bucket, OpenBucket};
pub use self::embedded::EmbeddedStorage;
pub use self::error::StorageError;
pub use self::memory::MemoryStorage;
pub use self::nowhere::NowhereStorage;
pub use self::redis::RedisStorage;

/// The longest value, in bytes. What somebody else made longer is not read.
pub const LONGEST_VALUE: usize = 8 << 20;

/// Bytes by key in named buckets, kept between calls and processes.
///
/// Buckets and keys are any text, also empty. Values are any bytes, also none;
/// they are not encrypted here. Every operation is atomic, and may wait: for
/// another process, a disk or a server.
pub trait Storage: Send + Sync {
    /// The value of a key. `None`: there is no such key.
    ///
    /// # Errors
    /// The storage cannot be read.
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StorageError>;

    /// Sets the value of a key, in place of one that is there.
    ///
    /// # Errors
    /// The storage cannot be written; it holds the old value or the new one.
    fn set(&self, bucket: &str, key: &str, value: &[u8]) -> Result<(), StorageError>;

    /// Sets the value of a key that has none. `false`: there was a value, and
    /// it was left as it is. Of several callers at once, one gets `true`.
    ///
    /// # Errors
    /// The storage cannot be written.
    fn set_if_absent(&self, bucket: &str, key: &str, value: &[u8]) -> Result<bool, StorageError>;

    /// Removes a key. Success, too, where there is no such key.
    ///
    /// # Errors
    /// The storage cannot be written.
    fn delete(&self, bucket: &str, key: &str) -> Result<(), StorageError>;

    /// Whether there is a key.
    ///
    /// # Errors
    /// The storage cannot be read.
    fn exists(&self, bucket: &str, key: &str) -> Result<bool, StorageError>;

    /// All keys of a bucket, sorted by their bytes.
    ///
    /// # Errors
    /// The storage cannot be read.
    fn keys(&self, bucket: &str) -> Result<Vec<String>, StorageError>;
}
