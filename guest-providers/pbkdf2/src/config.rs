use core::num::NonZeroU32;

use keyhost_guest::{Config, Error, KeyPair, Secret};
use serde::Deserialize;

use crate::parameters::Hash;

/// OpenTofu refuses fewer when encrypting.
const MINIMUM_ITERATIONS: u32 = 200_000;

/// OpenTofu's minimum for a passphrase and for chained keys, in bytes.
const MINIMUM_PASSPHRASE_LENGTH: u32 = 16;

/// What keys are derived from.
pub(crate) enum Source {
    /// One passphrase for both directions.
    Passphrase(Secret),
    /// Another provider's keys, one for each direction.
    Chain(KeyPair),
}

/// The parameters of new keys.
#[derive(Deserialize)]
pub(crate) struct Settings {
    pub(crate) iterations: NonZeroU32,
    pub(crate) key_length: NonZeroU32,
    pub(crate) salt_length: NonZeroU32,
    pub(crate) hash_function: Hash,
}

impl Settings {
    pub(crate) fn of(config: &Config) -> Result<Self, Error> {
        let settings: Self = config.attributes()?;
        let iterations = settings.iterations.get();
        if iterations < MINIMUM_ITERATIONS {
            return Err(Error::invalid_configuration(format!(
                "iterations is {iterations}, dangerously low: at least {MINIMUM_ITERATIONS} are needed"
            )));
        }
        Ok(settings)
    }
}

impl Source {
    pub(crate) fn of(config: &mut Config) -> Result<Self, Error> {
        match (config.take_secret("passphrase"), config.take_keys("chain")) {
            (Some(_), Some(_)) => Err(Error::invalid_configuration(
                "passphrase and chain exclude each other",
            )),
            (None, None) => Err(Error::invalid_configuration(
                "either passphrase or chain is needed",
            )),
            (Some(passphrase), None) => {
                long_enough("passphrase", &passphrase)?;
                Ok(Self::Passphrase(passphrase))
            }
            (None, Some(keys)) => {
                long_enough("the encryption key of chain", &keys.encryption_key)?;
                if let Some(key) = &keys.decryption_key {
                    long_enough("the decryption key of chain", key)?;
                }
                Ok(Self::Chain(keys))
            }
        }
    }
}

fn long_enough(what: &str, secret: &Secret) -> Result<(), Error> {
    if secret.length() < MINIMUM_PASSPHRASE_LENGTH {
        return Err(Error::invalid_configuration(format!(
            "{what} is too short: at least {MINIMUM_PASSPHRASE_LENGTH} bytes are needed"
        )));
    }
    Ok(())
}
