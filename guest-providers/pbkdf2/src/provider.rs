use keyhost_guest::crypto::{Pbkdf2Job, pbkdf2, random_bytes};
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, Secret};

use crate::config::{Settings, Source, settings};
use crate::metadata::Metadata;

/// Derives the key of new data with a fresh salt, and the key of old data with
/// the parameters that its metadata names.
pub(crate) struct Pbkdf2 {
    settings: Settings,
}

impl KeyProvider for Pbkdf2 {
    const KEEPS_METADATA: bool = true;

    fn describe() -> Descriptor {
        crate::descriptor::descriptor()
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self {
            settings: settings(config)?,
        })
    }

    fn provide(&self, metadata: Option<String>) -> Result<(KeyPair, Option<String>), Error> {
        let stored = metadata.as_deref().map(Metadata::parse).transpose()?;
        let fresh = Metadata {
            salt: random_bytes(self.settings.salt_length)?,
            iterations: self.settings.iterations,
            hash: self.settings.hash,
            key_length: self.settings.key_length,
        };
        // One call, so that the host derives both keys side by side.
        let mut jobs = vec![job(self.encryption_password(), &fresh)];
        if let Some(stored) = &stored {
            jobs.push(job(self.decryption_password()?, stored));
        }
        let mut keys = pbkdf2(&jobs)?.into_iter();
        let keys = KeyPair {
            encryption_key: keys.next().ok_or_else(no_key)?,
            decryption_key: keys.next(),
        };
        Ok((keys, Some(fresh.to_json())))
    }
}

impl Pbkdf2 {
    fn encryption_password(&self) -> &Secret {
        match &self.settings.source {
            Source::Passphrase(passphrase) => passphrase,
            Source::Chain(keys) => &keys.encryption_key,
        }
    }

    fn decryption_password(&self) -> Result<&Secret, Error> {
        match &self.settings.source {
            Source::Passphrase(passphrase) => Ok(passphrase),
            Source::Chain(keys) => keys.decryption_key.as_ref().ok_or_else(|| {
                Error::KeyProviderFailure("chain supplies no decryption key".to_owned())
            }),
        }
    }
}

fn job<'a>(password: &'a Secret, parameters: &'a Metadata) -> Pbkdf2Job<'a> {
    Pbkdf2Job {
        password,
        salt: parameters.salt.clone(),
        iterations: parameters.iterations,
        key_length: parameters.key_length,
        hash: parameters.hash,
    }
}

fn no_key() -> Error {
    Error::KeyProviderFailure("the host derived no key".to_owned())
}
