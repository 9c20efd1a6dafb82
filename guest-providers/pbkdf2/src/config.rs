use keyhost_guest::crypto::HashFunction;
use keyhost_guest::{Config, Error, KeyPair, Secret, invalid_configuration};

use crate::parameters::Parameters;

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
pub(crate) struct Settings {
    pub(crate) source: Source,
    pub(crate) iterations: u32,
    pub(crate) key_length: u32,
    pub(crate) salt_length: u32,
    pub(crate) hash: HashFunction,
}

pub(crate) fn settings(mut config: Config) -> Result<Settings, Error> {
    let source = source(&mut config)?;
    let attributes = Parameters::parse(&config.attributes).map_err(invalid_configuration)?;
    let positive = |name| attributes.positive(name).map_err(invalid_configuration);
    let iterations = positive("iterations")?;
    if iterations < MINIMUM_ITERATIONS {
        return Err(invalid_configuration(format!(
            "iterations is {iterations}, dangerously low: at least {MINIMUM_ITERATIONS} are needed"
        )));
    }
    Ok(Settings {
        source,
        iterations,
        key_length: positive("key_length")?,
        salt_length: positive("salt_length")?,
        hash: attributes.hash_function().map_err(invalid_configuration)?,
    })
}

fn source(config: &mut Config) -> Result<Source, Error> {
    match (config.take_secret("passphrase"), config.take_keys("chain")) {
        (Some(_), Some(_)) => Err(invalid_configuration(
            "passphrase and chain exclude each other",
        )),
        (None, None) => Err(invalid_configuration(
            "either passphrase or chain is needed",
        )),
        (Some(passphrase), None) => {
            long_enough("passphrase", &passphrase)?;
            Ok(Source::Passphrase(passphrase))
        }
        (None, Some(keys)) => {
            long_enough("the encryption key of chain", &keys.encryption_key)?;
            if let Some(key) = &keys.decryption_key {
                long_enough("the decryption key of chain", key)?;
            }
            Ok(Source::Chain(keys))
        }
    }
}

fn long_enough(what: &str, secret: &Secret) -> Result<(), Error> {
    if secret.length() < MINIMUM_PASSPHRASE_LENGTH {
        return Err(invalid_configuration(format!(
            "{what} is too short: at least {MINIMUM_PASSPHRASE_LENGTH} bytes are needed"
        )));
    }
    Ok(())
}
