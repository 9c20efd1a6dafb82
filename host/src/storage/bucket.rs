//! What one component sees of the storage.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Storage, StorageError};

/// The bucket of one component.
#[derive(Clone)]
pub struct Bucket {
    storage: Arc<dyn Storage>,
    name: Arc<str>,
    /// What has to be there before the component's first write.
    before: Arc<Mutex<Vec<FirstWrite>>>,
}

/// What the host keeps once: the first of several processes counts.
#[derive(Clone, Debug)]
pub(crate) struct FirstWrite {
    pub(crate) bucket: String,
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
}

impl FirstWrite {
    /// False: there was one already.
    pub(crate) fn write(&self, storage: &dyn Storage) -> Result<bool, StorageError> {
        storage.set_if_absent(&self.bucket, &self.key, &self.value)
    }
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
            before: Arc::default(),
        }
    }

    /// The same bucket, with what is to be kept before its first write. Where
    /// another process kept something else first, that write fails with
    /// [`StorageError::Overtaken`].
    pub(crate) fn with_first_writes(self, before: Vec<FirstWrite>) -> Self {
        Self {
            before: Arc::new(Mutex::new(before)),
            ..self
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
        self.write_first()?;
        self.storage.set(&self.name, key, value)
    }

    fn write_first(&self) -> Result<(), StorageError> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(first) = before.last() {
            if !first.write(&*self.storage)? {
                return Err(StorageError::Overtaken {
                    key: first.key.clone(),
                });
            }
            before.pop();
        }
        Ok(())
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
