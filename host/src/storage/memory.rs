//! The storage in memory: for judging components.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Storage, StorageError};

/// A storage that is gone with its last user.
#[derive(Debug, Default)]
pub struct MemoryStorage(Mutex<Buckets>);

type Buckets = BTreeMap<(String, String), Vec<u8>>;

impl MemoryStorage {
    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(bucket: &str, key: &str) -> (String, String) {
    (bucket.to_owned(), key.to_owned())
}

impl Storage for MemoryStorage {
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.buckets().get(&name(bucket, key)).cloned())
    }

    fn set(&self, bucket: &str, key: &str, value: &[u8]) -> Result<(), StorageError> {
        self.buckets().insert(name(bucket, key), value.to_vec());
        Ok(())
    }

    fn set_if_absent(&self, bucket: &str, key: &str, value: &[u8]) -> Result<bool, StorageError> {
        let mut buckets = self.buckets();
        let absent = !buckets.contains_key(&name(bucket, key));
        if absent {
            buckets.insert(name(bucket, key), value.to_vec());
        }
        Ok(absent)
    }

    fn delete(&self, bucket: &str, key: &str) -> Result<(), StorageError> {
        self.buckets().remove(&name(bucket, key));
        Ok(())
    }

    fn exists(&self, bucket: &str, key: &str) -> Result<bool, StorageError> {
        Ok(self.buckets().contains_key(&name(bucket, key)))
    }

    fn keys(&self, bucket: &str) -> Result<Vec<String>, StorageError> {
        let buckets = self.buckets();
        let keys = buckets.keys().filter(|(other, _)| other == bucket);
        Ok(keys.map(|(_, key)| key.clone()).collect())
    }
}
