//! Encrypted states, whole, damaged, and after rotations.

use std::sync::Mutex;

use serde_json::Value;

use super::{Deviations, each, shows_no_secret};
use crate::support::{config, data, key_providers};

fn decrypt(encryption: &str, envelope: &str) -> Result<(String, bool), String> {
    let config = config(encryption).map_err(|error| error.to_string())?;
    let opened = keyhost::state::decrypt(envelope.as_bytes(), &config, &key_providers(&config))
        .map_err(|error| error.to_string())?;
    let text =
        String::from_utf8(opened.plaintext.expose().to_vec()).map_err(|error| error.to_string())?;
    Ok((text, opened.by_fallback))
}

/// keyhost runs no external program: the key that this vector's program gave,
/// written out.
fn with_external_key(vector: &Value) -> String {
    let key: Vec<u8> = (1..=16).collect();
    let config = vector["config"].as_str().expect("config");
    let start = config.find("key_provider").expect("provider");
    let end = config.find("method \"").expect("method");
    let literal = format!("{{ encryption_key = {key:?}, decryption_key = {key:?} }}");
    format!("{}{}", &config[..start], &config[end..]).replace("key_provider.external.e", &literal)
}

#[test]
fn every_state_decrypts_to_its_very_bytes() {
    let vectors = data("vectors/envelopes.json");
    let json_envelope = vectors
        .iter()
        .find(|vector| vector["name"] == "json-syntax")
        .map(|vector| vector["envelope"].clone())
        .expect("json-syntax");
    each(&vectors, |vector| {
        let encryption = match vector["name"].as_str() {
            Some("external") => with_external_key(vector),
            _ => vector["config"].as_str().ok_or("no config")?.to_owned(),
        };
        // OpenTofu refuses this spelling of a reference; the state is that of
        // the other spelling.
        let envelope = vector["envelope"]
            .as_str()
            .or(json_envelope.as_str())
            .ok_or("no envelope")?;
        let (text, _) = decrypt(&encryption, envelope)?;
        if Some(text.as_str()) == vector["plaintext"].as_str() {
            Ok(())
        } else {
            Err(format!("decrypted to {text}"))
        }
    });
}

#[test]
fn rotations_and_damaged_envelopes() {
    let deviations = Mutex::new(Deviations::of("rotation_and_envelope_errors.json"));
    let vectors = data("vectors/rotation_and_envelope_errors.json");
    let vectors: Vec<_> = vectors
        .into_iter()
        .filter(|vector| vector["mode"] == "decrypt")
        .collect();
    each(&vectors, |vector| {
        let outcome = deviations.lock().expect("lock").outcome(vector);
        let encryption = vector["config"].as_str().ok_or("no config")?;
        let envelope = vector["envelope"].as_str().ok_or("no envelope")?;
        match (decrypt(encryption, envelope), outcome.as_str()) {
            (Ok((text, by_fallback)), "accepted") => {
                if vector["decrypted"]
                    .as_str()
                    .is_some_and(|theirs| theirs != text)
                {
                    return Err(format!("decrypted to {text}"));
                }
                // OpenTofu's word for a fallback is migration.
                if vector["outcome"] == "accepted"
                    && (vector["status"] == "migration") != by_fallback
                {
                    return Err(format!("by a fallback: {by_fallback}"));
                }
                Ok(())
            }
            (Err(message), "error") => shows_no_secret(&message),
            (Ok(_), _) => Err("accepted".to_owned()),
            (Err(message), _) => Err(message),
        }
    });
    deviations.into_inner().expect("lock").all_seen();
}

#[test]
fn a_renamed_provider_is_told_which_metadata_there_is() {
    let vectors = data("vectors/rotation_and_envelope_errors.json");
    let vector = vectors
        .iter()
        .find(|vector| vector["name"] == "old-config-decrypts-new-envelope")
        .expect("vector");
    let message = decrypt(
        vector["config"].as_str().expect("config"),
        vector["envelope"].as_str().expect("envelope"),
    )
    .expect_err("no metadata");
    assert!(message.contains("key_provider.pbkdf2.old"), "{message}");
    assert!(
        message.contains("under key_provider.pbkdf2.new only"),
        "{message}"
    );
}
