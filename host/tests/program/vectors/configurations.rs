//! Whole encryption blocks, valid and invalid.

use std::sync::Mutex;

use keyhost::config::decode::KeySource;
use keyhost::config::method::Method;
use keyhost::config::target::TargetName;
use keyhost::crypto::aead;
use keyhost::key_provider::metadata::Purpose;
use serde_json::Value;

use super::{Deviations, each, shows_no_secret};
use crate::support::{config, data, key_providers};

/// What OpenTofu does before it encrypts a state: read, build, derive.
fn set_up(encryption: &str) -> Result<(), String> {
    let config = config(encryption).map_err(|error| error.to_string())?;
    let methods = match config
        .target(&TargetName::State)
        .map(|target| target.methods)
    {
        Ok(methods) => methods,
        // Without a state there is nothing to set up.
        Err(error) if error.message().contains("no state block") => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let Method::AesGcm { keys, .. } = &methods[0].method else {
        return Ok(());
    };
    let key = match keys {
        KeySource::Literal(keys) => keys.encryption_key.clone(),
        KeySource::Provider(address) => {
            let output = key_providers(&config).provide(address, &Purpose::Encrypt);
            output
                .map_err(|error| error.to_string())?
                .keys
                .encryption_key
        }
    };
    if aead::takes_key_length(key.len()) {
        Ok(())
    } else {
        Err(format!("AES-GCM takes no key of {} bytes", key.len()))
    }
}

#[test]
fn every_configuration_ends_as_expected() {
    let deviations = Mutex::new(Deviations::of("negative_configs.json"));
    each(&data("vectors/negative_configs.json"), |vector: &Value| {
        let outcome = deviations.lock().expect("lock").outcome(vector);
        let encryption = vector["config"].as_str().ok_or("no config")?;
        match (set_up(encryption), outcome.as_str()) {
            (Ok(()), "accepted") => Ok(()),
            (Err(message), "error") => shows_no_secret(&message),
            (Ok(()), _) => Err("accepted".to_owned()),
            (Err(message), _) => Err(message),
        }
    });
    deviations.into_inner().expect("lock").all_seen();
}
