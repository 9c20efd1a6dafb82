//! The storage in one file: a redb database.

mod failure;
mod file;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use redb::backends::FileBackend;
use redb::{
    Builder, Database, DatabaseError, Durability, ReadOnlyDatabase, ReadOnlyTable,
    ReadableDatabase, ReadableTable, Table, TableDefinition,
};

use self::file::Access;
use super::{LONGEST_VALUE, Storage, StorageError};
use crate::process::quietly;

/// Bucket and key.
type Key = (&'static str, &'static str);
type Value = &'static [u8];

const TABLE: TableDefinition<'_, Key, Value> = TableDefinition::new("keyhost");

/// Less than a component's usual deadline, which counts meanwhile.
const WAIT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_micros(250);
const LONGEST_PAUSE: Duration = Duration::from_millis(8);

/// The database is opened for one operation, so that a cache has little use.
const CACHE_BYTES: usize = 8 << 20;

/// A storage in one file, which several processes can use at once.
///
/// Every operation opens the file and closes it. A value is on the disk when
/// [`Storage::set`] returns, and a process that is killed leaves a whole file.
/// The bytes of a value that was deleted or replaced can stay in the file for a
/// while. Reading from a file that is not there finds nothing and makes none.
#[derive(Debug, Clone)]
pub struct EmbeddedStorage {
    path: PathBuf,
    wait: Duration,
}

impl EmbeddedStorage {
    /// A storage in the file `path`. The first write makes the file with mode
    /// 0600, and its directory with mode 0700.
    pub fn new(path: PathBuf) -> Self {
        Self { path, wait: WAIT }
    }

    /// Waits this long for other processes, in place of 5 s.
    #[must_use]
    pub fn with_wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Without a file, `T::default()`.
    fn read<T: Default>(
        &self,
        work: impl FnOnce(&ReadOnlyTable<Key, Value>) -> Result<T, redb::Error>,
    ) -> Result<T, StorageError> {
        self.guard(|| {
            let Some(database) = self.open_to_read()? else {
                return Ok(T::default());
            };
            let read = || {
                let transaction = database.begin_read()?;
                work(&transaction.open_table(TABLE)?)
            };
            read().map_err(|error| self.explain(error))
        })
    }

    /// Makes the file where there is none. `work` tells whether it changed
    /// anything, and so does the result.
    fn write(
        &self,
        work: impl FnOnce(&mut Table<'_, Key, Value>) -> Result<bool, redb::Error>,
    ) -> Result<bool, StorageError> {
        self.guard(|| {
            let database = match self.open_to_write()? {
                Some(database) => database,
                None => self.create()?,
            };
            let write = || {
                // A database of another program is not made ours.
                database.begin_read()?.open_table(TABLE)?;
                let mut transaction = database.begin_write()?;
                transaction.set_durability(Durability::Immediate)?;
                let changed = work(&mut transaction.open_table(TABLE)?)?;
                if changed {
                    transaction.commit()?;
                } else {
                    transaction.abort()?;
                }
                Ok(changed)
            };
            write().map_err(|error| self.explain(error))
        })
    }

    fn open_to_read(&self) -> Result<Option<ReadOnlyDatabase>, StorageError> {
        self.open(Access::Read, |file| {
            builder().open_read_only_with_backend(FileBackend::new(file)?)
        })
    }

    fn open_to_write(&self) -> Result<Option<Database>, StorageError> {
        self.open(Access::Write, |file| {
            // Writing to a damaged file that is trusted can end the process.
            let mut builder = builder();
            builder.set_check_integrity_on_open(true);
            builder.create_with_backend(FileBackend::new(file)?)
        })
    }

    /// Waits for its turn. `None`: there is no file.
    fn open<D>(
        &self,
        access: Access,
        open: impl Fn(File) -> Result<D, DatabaseError>,
    ) -> Result<Option<D>, StorageError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let Some(file) = file::open(&self.path, access)? else {
                return Ok(None);
            };
            let in_time = start.elapsed() < self.wait;
            match open(file) {
                Ok(database) => return Ok(Some(database)),
                Err(DatabaseError::DatabaseAlreadyOpen) if in_time => {
                    thread::sleep(pause);
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                Err(DatabaseError::DatabaseAlreadyOpen) => {
                    return Err(StorageError::Busy {
                        path: self.path.clone(),
                        waited: self.wait,
                    });
                }
                // A process was killed as it wrote. Opening to write repairs that.
                Err(DatabaseError::RepairAborted) if access == Access::Read && in_time => {
                    self.open_to_write()?;
                }
                Err(error) => return Err(self.explain(error.into())),
            }
        }
    }

    fn create(&self) -> Result<Database, StorageError> {
        file::place(&self.path, |file| {
            let initialise = || {
                let database = builder().create_with_backend(FileBackend::new(file)?)?;
                let transaction = database.begin_write()?;
                transaction.open_table(TABLE)?;
                transaction.commit()?;
                Ok(database.close()?)
            };
            initialise().map_err(|error| self.explain(error))
        })?;
        self.open_to_write()?.ok_or_else(|| StorageError::Failed {
            place: self.place(),
            reason: "the file was removed a moment after it was made; try again".to_owned(),
        })
    }

    /// redb trusts a file that was closed well, and panics where such a file
    /// was changed by something else.
    fn guard<T>(&self, work: impl FnOnce() -> Result<T, StorageError>) -> Result<T, StorageError> {
        // Nothing outlives the panic: database and file belong to `work`.
        quietly(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|_| {
            Err(StorageError::Damaged {
                path: self.path.clone(),
                reason: "its inner structure is wrong".to_owned(),
            })
        })
    }

    fn too_long(&self) -> StorageError {
        StorageError::TooLong {
            place: self.path.display().to_string(),
        }
    }

    fn explain(&self, error: redb::Error) -> StorageError {
        failure::explain(&self.path, error)
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

impl Storage for EmbeddedStorage {
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let within = |value: &[u8]| (value.len() <= LONGEST_VALUE).then(|| value.to_vec());
        let value = self.read(|table| {
            let value = ReadableTable::get(table, (bucket, key))?;
            Ok(value.map(|value| within(value.value())))
        })?;
        value
            .map(|value| value.ok_or_else(|| self.too_long()))
            .transpose()
    }

    fn set(&self, bucket: &str, key: &str, value: &[u8]) -> Result<(), StorageError> {
        if value.len() > LONGEST_VALUE {
            return Err(self.too_long());
        }
        self.write(|table| {
            table.insert((bucket, key), value)?;
            Ok(true)
        })?;
        Ok(())
    }

    fn set_if_absent(&self, bucket: &str, key: &str, value: &[u8]) -> Result<bool, StorageError> {
        // Reading is cheaper and stops nobody else.
        if self.exists(bucket, key)? {
            return Ok(false);
        }
        self.write(|table| {
            if table.get((bucket, key))?.is_some() {
                return Ok(false);
            }
            table.insert((bucket, key), value)?;
            Ok(true)
        })
    }

    fn delete(&self, bucket: &str, key: &str) -> Result<(), StorageError> {
        // Deleting nothing makes no file.
        if self.exists(bucket, key)? {
            self.write(|table| Ok(table.remove((bucket, key))?.is_some()))?;
        }
        Ok(())
    }

    fn exists(&self, bucket: &str, key: &str) -> Result<bool, StorageError> {
        self.read(|table| Ok(ReadableTable::get(table, (bucket, key))?.is_some()))
    }

    fn keys(&self, bucket: &str) -> Result<Vec<String>, StorageError> {
        self.read(|table| {
            let mut keys = Vec::new();
            for entry in ReadableTable::range(table, (bucket, "")..)? {
                let (name, _) = entry?;
                let (of, key) = name.value();
                if of != bucket {
                    break;
                }
                keys.push(key.to_owned());
            }
            Ok(keys)
        })
    }
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES);
    builder
}
