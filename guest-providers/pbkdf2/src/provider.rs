use keyhost_guest::crypto::{Pbkdf2Job, pbkdf2, random_bytes};
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, Secret};

use crate::config::{Settings, Source};
use crate::metadata::Metadata;

/// Derives the key of new data with a fresh salt, and the key of old data with
/// the parameters that its metadata names.
pub(crate) struct Pbkdf2 {
    source: Source,
    settings: Settings,
}

impl KeyProvider for Pbkdf2 {
    type Metadata = Metadata;

    fn describe() -> Descriptor {
        crate::descriptor::descriptor()
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        Ok(Self {
            source: Source::of(&mut config)?,
            settings: Settings::of(&config)?,
        })
    }

    fn provide(&self, stored: Option<Metadata>) -> Result<(KeyPair, Metadata), Error> {
        let fresh = Metadata {
            salt: random_bytes(self.settings.salt_length.get())?,
            iterations: self.settings.iterations,
            hash_function: self.settings.hash_function,
            key_length: self.settings.key_length,
        };
        // One call, so that the host derives both keys side by side.
        let mut jobs = vec![job(self.encryption_password(), &fresh)];
        if let Some(stored) = &stored {
            jobs.push(job(self.decryption_password()?, stored));
        }
        let mut keys = pbkdf2(&jobs)?.into_iter();
        let no_key = || Error::failure("the host derived no key");
        let keys = KeyPair {
            encryption_key: keys.next().ok_or_else(no_key)?,
            decryption_key: keys.next(),
        };
        Ok((keys, fresh))
    }
}

impl Pbkdf2 {
    fn encryption_password(&self) -> &Secret {
        match &self.source {
            Source::Passphrase(passphrase) => passphrase,
            Source::Chain(keys) => &keys.encryption_key,
        }
    }

    fn decryption_password(&self) -> Result<&Secret, Error> {
        match &self.source {
            Source::Passphrase(passphrase) => Ok(passphrase),
            Source::Chain(keys) => keys
                .decryption_key
                .as_ref()
                .ok_or_else(|| Error::failure("chain supplies no decryption key")),
        }
    }
}

fn job<'a>(password: &'a Secret, parameters: &Metadata) -> Pbkdf2Job<'a> {
    Pbkdf2Job {
        password,
        salt: parameters.salt.clone(),
        iterations: parameters.iterations.get(),
        key_length: parameters.key_length.get(),
        hash: parameters.hash_function.into(),
    }
}
