use keyhost_guest::credentials_helper::{
    Credentials, CredentialsHelper, Error, open_bucket, store::Bucket,
};
use keyhost_guest::{Config, Descriptor, Secret};

use crate::keys::Keys;

/// Sealed credentials, by host.
pub(crate) struct Vault {
    keys: Keys,
    bucket: Bucket,
}

impl CredentialsHelper for Vault {
    fn describe() -> Descriptor {
        crate::descriptor::descriptor()
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self {
            keys: Keys::of(config)?,
            bucket: open_bucket()?,
        })
    }

    fn get(&self, host: String) -> Result<Option<Secret>, Error> {
        let Some(sealed) = self.bucket.get(&host)? else {
            return Ok(None);
        };
        let opened = self.keys.open(&host, &sealed)?;
        // What another process stored or forgot meanwhile counts.
        if opened.outdated && self.bucket.get(&host)?.is_some_and(|now| now == sealed) {
            self.keep(&host, &opened.object)?;
        }
        Ok(Some(opened.object))
    }

    fn store(&self, host: String, credentials: Credentials) -> Result<(), Error> {
        self.keep(&host, &credentials.object)
    }

    fn forget(&self, host: String) -> Result<(), Error> {
        Ok(self.bucket.delete(&host)?)
    }

    fn hosts(&self) -> Result<Vec<String>, Error> {
        let mut hosts = Vec::new();
        let mut cursor = None;
        loop {
            let page = self.bucket.list_keys(cursor)?;
            hosts.extend(page.keys);
            match page.cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(hosts),
            }
        }
    }
}

impl Vault {
    fn keep(&self, host: &str, object: &Secret) -> Result<(), Error> {
        let sealed = self.keys.seal(host, object)?;
        Ok(self.bucket.set(host, &sealed)?)
    }
}
