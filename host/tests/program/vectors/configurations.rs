//! Whole encryption blocks, valid and invalid: as OpenTofu was given them, in
//! `TF_ENCRYPTION`, and in a file.

use std::sync::Mutex;

use keyhost::config::Config;
use keyhost::config::decode::KeySource;
use keyhost::config::method::Method;
use keyhost::config::source::ConfigError;
use keyhost::config::target::{Target, TargetName};
use keyhost::crypto::aead;
use keyhost::key_provider::metadata::Purpose;
use serde_json::Value;

use super::{Deviations, each, shows_no_secret};
use crate::support::{config, config_in_environment, data, key_providers};

/// The targets that a configuration has.
fn targets(config: &Config) -> Result<Vec<Target>, ConfigError> {
    let mut targets = Vec::new();
    for name in [TargetName::State, TargetName::Plan] {
        match config.target(&name) {
            Ok(target) => targets.push(target),
            // Without one there is nothing to set up.
            Err(error) if error.message().contains(&format!("no {name} block")) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(targets)
}

/// What OpenTofu does before it encrypts: read, build, derive.
fn set_up(config: &Config, targets: &[Target]) -> Result<(), String> {
    for target in targets {
        let Method::AesGcm { keys, .. } = &target.methods[0].method else {
            continue;
        };
        let key = match keys {
            KeySource::Literal(keys) => keys.encryption_key.clone(),
            KeySource::Provider(address) => {
                let output = key_providers(config).provide(address, &Purpose::Encrypt);
                output
                    .map_err(|error| error.to_string())?
                    .keys
                    .encryption_key
            }
        };
        if !aead::takes_key_length(key.len()) {
            return Err(format!("AES-GCM takes no key of {} bytes", key.len()));
        }
    }
    Ok(())
}

/// The line of OpenTofu's first diagnostic, where it says one.
fn line(vector: &Value) -> Option<usize> {
    let subject = vector["diagnostics"][0]["subject"].as_str()?;
    let place = subject.strip_prefix("TF_ENCRYPTION:")?;
    let line = place.split_once(',')?.0.parse().ok()?;
    (line > 0).then_some(line)
}

fn check(vector: &Value, outcome: &str) -> Result<(), String> {
    let encryption = vector["config"].as_str().ok_or("no config")?;
    let read = config_in_environment(encryption)
        .and_then(|config| targets(&config).map(|targets| (config, targets)));
    let in_file = config(encryption).and_then(|config| targets(&config));
    // An inside with a whole block in it is a mistake in a file alone.
    if vector["name"] != "structure/wrapped-in-terraform-block" && read.is_ok() != in_file.is_ok() {
        return Err(format!("otherwise in a file: {in_file:?}"));
    }
    let done = match &read {
        Ok((config, targets)) => set_up(config, targets),
        Err(error) => {
            let text = error.to_string();
            if !text.starts_with("TF_ENCRYPTION:") || text.contains('\n') {
                return Err(format!("it is not told where: {text}"));
            }
            if let (Some(theirs), Some(ours)) = (line(vector), error.line())
                && theirs != ours
            {
                return Err(format!("line {theirs} in OpenTofu: {text}"));
            }
            Err(text)
        }
    };
    match (done, outcome) {
        (Ok(()), "accepted") => Ok(()),
        (Err(message), "error") => shows_no_secret(&message),
        (Ok(()), _) => Err("accepted".to_owned()),
        (Err(message), _) => Err(message),
    }
}

#[test]
fn every_configuration_ends_as_expected() {
    let deviations = Mutex::new(Deviations::of("negative_configs.json"));
    each(&data("vectors/negative_configs.json"), |vector: &Value| {
        let outcome = deviations.lock().expect("lock").outcome(vector);
        check(vector, &outcome)
    });
    deviations.into_inner().expect("lock").all_seen();
}
