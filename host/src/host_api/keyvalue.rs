//! The interface `wasi:keyvalue/store`: a component's own bucket.

use wasmtime::component::Resource;

use crate::bindings::imports::wasi::keyvalue::store::{Error, Host, HostBucket, KeyResponse};
use crate::limits::{Limit, LimitExceeded};
use crate::sandbox::state::{State, StorageFailure};
use crate::storage::{Bucket, OpenBucket, StorageError};

/// The identifiers of a component's own bucket: no name, or the usual one.
const OWN: [&str; 2] = ["", "default"];

/// The longest key, in bytes.
const MAXIMUM_KEY_LENGTH: usize = 1 << 10;

/// The keys of one page.
const PAGE: usize = 1_000;

type Answer<T> = wasmtime::Result<Result<T, Error>>;

impl Host for State {
    fn open(&mut self, identifier: String) -> Answer<Resource<OpenBucket>> {
        self.count_call()?;
        if self.bucket.is_none() {
            return Ok(Err(Error::AccessDenied));
        }
        if !OWN.contains(&identifier.as_str()) {
            return Ok(Err(Error::NoSuchStore));
        }
        Ok(Ok(self.table.push(OpenBucket)?))
    }
}

impl HostBucket for State {
    fn get(&mut self, bucket: Resource<OpenBucket>, key: String) -> Answer<Option<Vec<u8>>> {
        self.stored(&bucket, &key, |state, bucket| {
            let value = bucket.get(&key)?;
            state.count_stored(value.as_deref().unwrap_or_default())?;
            Ok(value)
        })
    }

    fn set(&mut self, bucket: Resource<OpenBucket>, key: String, value: Vec<u8>) -> Answer<()> {
        self.stored(&bucket, &key, |state, bucket| {
            state.count_stored(key.as_bytes())?;
            state.count_stored(&value)?;
            Ok(bucket.set(&key, &value)?)
        })
    }

    fn delete(&mut self, bucket: Resource<OpenBucket>, key: String) -> Answer<()> {
        self.stored(&bucket, &key, |_, bucket| Ok(bucket.delete(&key)?))
    }

    fn exists(&mut self, bucket: Resource<OpenBucket>, key: String) -> Answer<bool> {
        self.stored(&bucket, &key, |_, bucket| Ok(bucket.exists(&key)?))
    }

    fn list_keys(
        &mut self,
        bucket: Resource<OpenBucket>,
        cursor: Option<u64>,
    ) -> Answer<KeyResponse> {
        self.stored(&bucket, "", |state, bucket| {
            let start = usize::try_from(cursor.unwrap_or(0)).unwrap_or(usize::MAX);
            let all = bucket.keys()?;
            // Every page reads them all.
            for key in &all {
                state.count_stored(key.as_bytes())?;
            }
            let keys: Vec<_> = all.iter().skip(start).take(PAGE).cloned().collect();
            let end = start.saturating_add(PAGE);
            let cursor = (end < all.len()).then_some(end as u64);
            Ok(KeyResponse { keys, cursor })
        })
    }

    fn drop(&mut self, bucket: Resource<OpenBucket>) -> wasmtime::Result<()> {
        self.table.delete(bucket)?;
        Ok(())
    }
}

/// Why an operation gave nothing: each has an answer of its own.
enum Refusal {
    Limit(LimitExceeded),
    Storage(StorageError),
}

impl From<LimitExceeded> for Refusal {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::Limit(exceeded)
    }
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl State {
    fn count_stored(&mut self, bytes: &[u8]) -> Result<(), LimitExceeded> {
        self.meter.spend(Limit::Storage, bytes.len() as u64)
    }

    /// Works with the bucket, in the guest's time. A failure of the store is
    /// remembered: the guest may tell it in its own words, or not at all.
    fn stored<T>(
        &mut self,
        handle: &Resource<OpenBucket>,
        key: &str,
        work: impl FnOnce(&mut Self, &Bucket) -> Result<T, Refusal>,
    ) -> Answer<T> {
        self.count_call()?;
        self.table.get(handle)?;
        let Some(bucket) = self.bucket.clone() else {
            return Ok(Err(Error::AccessDenied));
        };
        if key.len() > MAXIMUM_KEY_LENGTH {
            let text = format!("a key is longer than {MAXIMUM_KEY_LENGTH} bytes");
            return Ok(Err(Error::Other(text)));
        }
        match work(self, &bucket) {
            Ok(value) => Ok(Ok(value)),
            Err(Refusal::Limit(exceeded)) => Ok(Err(Error::Other(exceeded.to_string()))),
            Err(Refusal::Storage(error)) => {
                let text = error.to_string();
                self.storage_failure.get_or_insert_with(|| StorageFailure {
                    text: text.clone(),
                    overtaken: matches!(error, StorageError::Overtaken { .. }),
                });
                Ok(Err(Error::Other(text)))
            }
        }
    }
}
