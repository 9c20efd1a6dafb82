use keyhost_guest::credentials_helper::Error;
use keyhost_guest::crypto::{CryptoError, open, seal};
use keyhost_guest::{Config, KeyPair, Secret};

/// The length of an AES-256 key in bytes.
const KEY_LENGTH: u32 = 32;

/// What a record is sealed for, before its host. The number counts the ways of
/// sealing.
const PURPOSE: &[u8] = b"keyhost vault 1\0";

/// The key, and the one before.
pub(crate) struct Keys {
    current: Secret,
    previous: Option<Secret>,
}

/// A record, opened.
pub(crate) struct Opened {
    pub(crate) object: Secret,
    /// Whether it was sealed with the previous key.
    pub(crate) outdated: bool,
}

impl Keys {
    pub(crate) fn of(mut config: Config) -> Result<Self, Error> {
        let current = config.require_keys("key")?;
        let previous = config.take_keys("previous_key");
        Ok(Self {
            current: key("key", current)?,
            previous: previous.map(|pair| key("previous_key", pair)).transpose()?,
        })
    }

    pub(crate) fn seal(&self, host: &str, object: &Secret) -> Result<Vec<u8>, Error> {
        Ok(seal(&self.current, object, &associated_data(host))?)
    }

    pub(crate) fn open(&self, host: &str, sealed: &[u8]) -> Result<Opened, Error> {
        let data = associated_data(host);
        let keys = [Some(&self.current), self.previous.as_ref()];
        for (key, outdated) in keys.into_iter().flatten().zip([false, true]) {
            match open(key, sealed, &data) {
                Ok(object) => return Ok(Opened { object, outdated }),
                Err(CryptoError::AuthenticationFailed) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Err(Error::failure(format!(
            "the record of {host} does not open: it was sealed with another key, or changed; \
             if the key is new, name the key provider that was key before, unchanged, as previous_key"
        )))
    }
}

fn key(name: &str, pair: KeyPair) -> Result<Secret, Error> {
    let length = pair.encryption_key.length();
    if length != KEY_LENGTH {
        return Err(Error::invalid_configuration(format!(
            "{name} has {length} bytes, and {KEY_LENGTH} are needed"
        )));
    }
    Ok(pair.encryption_key)
}

/// A record opens for its own host alone, so that nobody can swap records.
fn associated_data(host: &str) -> Vec<u8> {
    [PURPOSE, host.as_bytes()].concat()
}
