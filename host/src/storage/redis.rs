//! The storage on a redis server.

mod address;
mod failure;
mod name;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::{
    Client, Cmd, Connection, ConnectionLike, FromRedisValue, RedisError, TlsCertificates, cmd,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::{LONGEST_VALUE, Storage, StorageError};

const TIMEOUT: Duration = Duration::from_secs(5);

/// A hint for the server: how many keys one step of a scan looks at.
const SCAN_STEP: usize = 1000;

/// A storage on one redis server (no cluster), under the keys
/// `keyhost:BUCKET:KEY` with bucket and key percent-encoded.
///
/// How long values outlive a crash of the server is up to its configuration.
/// One connection is kept open between operations. The user name and the
/// password of the address stay in memory as long as this does.
pub struct RedisStorage {
    client: Client,
    /// `HOST:PORT`
    place: String,
    timeout: Duration,
    idle: Mutex<Option<Connection>>,
}

impl RedisStorage {
    /// A storage at `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or
    /// `rediss://` for TLS, where the roots of the system must vouch for the
    /// server. Nothing is connected before the first operation.
    ///
    /// # Errors
    /// [`StorageError::Address`]
    pub fn new(url: &str) -> Result<Self, StorageError> {
        let info = address::parse(url)?;
        let place = address::place(info.addr());
        let client = Client::open(info).map_err(|_| address::wrong("it is no address of redis"))?;
        if address::is_tls(client.get_connection_info().addr()) {
            install_cryptography();
        }
        Ok(Self {
            client,
            place,
            timeout: TIMEOUT,
            idle: Mutex::new(None),
        })
    }

    /// Trusts the certificates of this PEM file alone, in place of the
    /// system's roots.
    ///
    /// # Errors
    /// [`StorageError::Authority`]: the file holds no certificates;
    /// [`StorageError::Address`]: the storage uses no TLS
    pub fn with_ca(self, path: &Path) -> Result<Self, StorageError> {
        let unusable = |reason: String| StorageError::Authority {
            path: path.to_owned(),
            reason,
        };
        let info = self.client.get_connection_info().clone();
        if !address::is_tls(info.addr()) {
            return Err(address::wrong("a certificate file needs rediss://"));
        }
        let pem = fs::read(path).map_err(|error| unusable(error.to_string()))?;
        if CertificateDer::pem_slice_iter(&pem).next().is_none() {
            return Err(unusable("it holds no certificate".to_owned()));
        }
        let certificates = TlsCertificates {
            client_tls: None,
            root_cert: Some(pem),
        };
        let client = Client::build_with_tls(info, certificates)
            .map_err(|_| unusable("a certificate in it is damaged".to_owned()))?;
        Ok(Self { client, ..self })
    }

    /// Waits this long for a connection and for every answer, in place of 5 s.
    /// Must be more than nothing.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StorageError> {
        let mut connection = self.connection()?;
        let answer = command
            .query(&mut connection)
            .map_err(|error| self.explain(&error))?;
        // Not after an error: an answer that is still under way would be
        // taken for the next one.
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        Ok(answer)
    }

    /// The idle connection while it lives, or else a new one.
    fn connection(&self) -> Result<Connection, StorageError> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Asked before use, because a write must not be sent twice.
        if let Some(mut connection) = idle
            && connection.check_connection()
        {
            return Ok(connection);
        }
        self.connect().map_err(|error| self.explain(&error))
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }

    fn explain(&self, error: &RedisError) -> StorageError {
        failure::explain(&self.place, self.timeout, error)
    }
}

impl RedisStorage {
    fn too_long(&self) -> StorageError {
        StorageError::TooLong {
            place: self.place.clone(),
        }
    }
}

impl Storage for RedisStorage {
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let name = name::of(bucket, key);
        let range = |end: usize| cmd("GETRANGE").arg(&name).arg(0).arg(end).to_owned();
        let value: Vec<u8> = self.ask(&range(LONGEST_VALUE))?;
        if value.len() > LONGEST_VALUE {
            return Err(self.too_long());
        }
        // No value and an empty one have the same range.
        let there = !value.is_empty() || self.exists(bucket, key)?;
        Ok(there.then_some(value))
    }

    fn set(&self, bucket: &str, key: &str, value: &[u8]) -> Result<(), StorageError> {
        if value.len() > LONGEST_VALUE {
            return Err(self.too_long());
        }
        self.ask(cmd("SET").arg(name::of(bucket, key)).arg(value))
    }

    fn set_if_absent(&self, bucket: &str, key: &str, value: &[u8]) -> Result<bool, StorageError> {
        let name = name::of(bucket, key);
        let done: Option<String> = self.ask(cmd("SET").arg(name).arg(value).arg("NX"))?;
        Ok(done.is_some())
    }

    fn delete(&self, bucket: &str, key: &str) -> Result<(), StorageError> {
        self.ask(cmd("DEL").arg(name::of(bucket, key)))
    }

    fn exists(&self, bucket: &str, key: &str) -> Result<bool, StorageError> {
        self.ask(cmd("EXISTS").arg(name::of(bucket, key)))
    }

    fn keys(&self, bucket: &str) -> Result<Vec<String>, StorageError> {
        let pattern = name::pattern(bucket);
        // A scan can show a key twice.
        let mut keys = BTreeSet::new();
        let mut cursor = 0;
        loop {
            let mut scan = cmd("SCAN");
            scan.arg(cursor)
                .arg("MATCH")
                .arg(&pattern)
                .arg("COUNT")
                .arg(SCAN_STEP);
            let (next, names): (u64, Vec<Vec<u8>>) = self.ask(&scan)?;
            keys.extend(names.iter().filter_map(|name| name::key(bucket, name)));
            if next == 0 {
                return Ok(keys.into_iter().collect());
            }
            cursor = next;
        }
    }
}

impl fmt::Debug for RedisStorage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisStorage")
            .field("place", &self.place)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Without a choice, rustls panics where several providers are compiled in.
fn install_cryptography() {
    // An error means that the process has made its choice before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
