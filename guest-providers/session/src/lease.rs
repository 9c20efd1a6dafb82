use keyhost_guest::crypto::random_bytes;
use keyhost_guest::ephemeral_resource::store::Bucket;
use keyhost_guest::ephemeral_resource::{Error, Lease, now};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The length of a lease's name in bytes.
const ID_LENGTH: u32 = 16;

/// A lease, as the storage has it while it lives.
#[derive(Serialize, Deserialize)]
struct Record {
    subject: String,
    /// When it ends unless it is renewed, in seconds since 1970.
    expires_at: u64,
    /// When it ends however often it is renewed.
    ends_at: u64,
}

/// A lease that lives.
pub(crate) struct Living<'a> {
    settings: &'a Settings,
    bucket: &'a Bucket,
    pub(crate) id: String,
    pub(crate) ends_at: u64,
    expires_at: u64,
}

impl<'a> Living<'a> {
    pub(crate) fn begin(settings: &'a Settings, bucket: &'a Bucket) -> Result<Self, Error> {
        let id: String = random_bytes(ID_LENGTH)?
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut lease = Self {
            settings,
            bucket,
            id,
            ends_at: now().saturating_add(settings.maximum_lifetime),
            expires_at: 0,
        };
        lease.extend()?;
        Ok(lease)
    }

    /// The lease of private bytes, which may be anybody's.
    pub(crate) fn find(
        settings: &'a Settings,
        bucket: &'a Bucket,
        private: &[u8],
    ) -> Result<Self, Error> {
        let ended = || Error::Failure("the lease has ended".to_owned());
        let id = id(private)?;
        let bytes = bucket.get(&id)?.ok_or_else(ended)?;
        let record: Record = serde_json::from_slice(&bytes)
            .map_err(|_| Error::Failure("the record of the lease is damaged".to_owned()))?;
        if now() >= record.expires_at.min(record.ends_at) {
            return Err(ended());
        }
        Ok(Self {
            settings,
            bucket,
            id,
            ends_at: record.ends_at,
            expires_at: record.expires_at,
        })
    }

    /// Extends the lease, as far as it may live. What the storage says of the
    /// end counts only as far as the configuration allows.
    pub(crate) fn extend(&mut self) -> Result<(), Error> {
        let now = now();
        self.ends_at = self
            .ends_at
            .min(now.saturating_add(self.settings.maximum_lifetime));
        self.expires_at = now.saturating_add(self.settings.lifetime).min(self.ends_at);
        let record = Record {
            subject: self.settings.subject.clone(),
            expires_at: self.expires_at,
            ends_at: self.ends_at,
        };
        let record = serde_json::to_vec(&record).map_err(Error::failure)?;
        Ok(self.bucket.set(&self.id, &record)?)
    }

    /// What the host keeps of it.
    pub(crate) fn lease(&self) -> Lease {
        Lease {
            private: self.id.as_bytes().to_vec(),
            renew_at: (self.expires_at < self.ends_at).then_some(self.expires_at),
        }
    }
}

/// Ends a lease, if there is one.
pub(crate) fn end(bucket: &Bucket, private: &[u8]) -> Result<(), Error> {
    Ok(bucket.delete(&id(private)?)?)
}

fn id(private: &[u8]) -> Result<String, Error> {
    let digits = private.len() == 2 * ID_LENGTH as usize
        && private.iter().all(|byte| byte.is_ascii_hexdigit());
    match String::from_utf8(private.to_vec()) {
        Ok(id) if digits => Ok(id),
        _ => Err(Error::Failure("these are no notes of a session".to_owned())),
    }
}
