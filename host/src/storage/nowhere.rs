//! No storage: for users without a home. Whoever needs none is not bothered.

use super::{Storage, StorageError};

/// A storage that fails when it is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct NowhereStorage;

impl Storage for NowhereStorage {
    fn get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Err(StorageError::Nowhere)
    }

    fn set(&self, _: &str, _: &str, _: &[u8]) -> Result<(), StorageError> {
        Err(StorageError::Nowhere)
    }

    fn set_if_absent(&self, _: &str, _: &str, _: &[u8]) -> Result<bool, StorageError> {
        Err(StorageError::Nowhere)
    }

    fn delete(&self, _: &str, _: &str) -> Result<(), StorageError> {
        Err(StorageError::Nowhere)
    }

    fn exists(&self, _: &str, _: &str) -> Result<bool, StorageError> {
        Err(StorageError::Nowhere)
    }

    fn keys(&self, _: &str) -> Result<Vec<String>, StorageError> {
        Err(StorageError::Nowhere)
    }
}
