//! What one component sees of the storage.

use std::sync::Arc;

use super::{Storage, StorageError};

/// The bucket of one component.
#[derive(Clone)]
pub struct Bucket {
    storage: Arc<dyn Storage>,
    name: Arc<str>,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Bucket({})", self.name)
    }
}

impl Bucket {
    /// The bucket of the component that the operator calls `name`.
    pub fn of_component(storage: &Arc<dyn Storage>, name: &str) -> Self {
        Self {
            storage: Arc::clone(storage),
            name: format!("components/{name}").into(),
        }
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.storage.get(&self.name, key)
    }

    /// Sets or replaces a value.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn set(&self, key: &str, value: &[u8]) -> Result<(), StorageError> {
        self.storage.set(&self.name, key, value)
    }

    /// Deletes a key, where there is one.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn delete(&self, key: &str) -> Result<(), StorageError> {
        self.storage.delete(&self.name, key)
    }

    /// Whether there is a key.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn exists(&self, key: &str) -> Result<bool, StorageError> {
        self.storage.exists(&self.name, key)
    }

    /// All keys, sorted.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn keys(&self) -> Result<Vec<String>, StorageError> {
        self.storage.keys(&self.name)
    }
}

/// A handle of a component to its bucket.
#[derive(Debug)]
pub struct OpenBucket;
