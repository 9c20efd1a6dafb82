//! Encrypted states, whole, damaged, after rotations, and made here.

use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use keyhost::config::target::TargetName;
use keyhost::envelope::{Contents, Kind};
use keyhost::secret::Secret;
use keyhost::state::StateEncryption;
use keyhost::state::error::StateError;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{Deviations, each, shows_no_secret};
use crate::support::{config, data, key_providers};

fn decrypt(encryption: &str, envelope: &str) -> Result<(String, bool), String> {
    let contents = Contents::of(Zeroizing::new(envelope.as_bytes().to_vec()));
    let contents = contents.map_err(|error| error.to_string())?;
    let opened = work(encryption, |state| state.open(contents, Kind::State))?;
    let text =
        String::from_utf8(opened.plaintext.expose().to_vec()).map_err(|error| error.to_string())?;
    Ok((text, opened.by_fallback))
}

fn encrypt(encryption: &str, plaintext: &str) -> Result<String, String> {
    let plaintext = Secret::from(plaintext.as_bytes());
    let sealed = work(encryption, |state| state.seal(plaintext, Kind::State))?;
    let mut bytes = Vec::new();
    sealed
        .write(&mut bytes)
        .map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn work<T>(
    encryption: &str,
    work: impl FnOnce(&StateEncryption<'_>) -> Result<T, StateError>,
) -> Result<T, String> {
    let config = config(encryption).map_err(|error| error.to_string())?;
    let providers = key_providers(&config);
    let target = config.target(&TargetName::State);
    let target = target.map_err(|error| error.to_string())?;
    work(&StateEncryption::new(target, &providers)).map_err(|error| error.to_string())
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

/// Salts and nonces are random; all else is as OpenTofu writes it.
fn without_random_bytes(envelope: &str) -> Result<String, String> {
    let mut envelope: Value = serde_json::from_str(envelope).map_err(|error| error.to_string())?;
    let data = decoded(&envelope["encrypted_data"])?;
    envelope["encrypted_data"] = data.len().into();
    for (key, metadata) in envelope["meta"].as_object_mut().ok_or("no meta")? {
        let text = String::from_utf8(decoded(metadata)?).map_err(|error| error.to_string())?;
        let mut fields: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        // Compact and in the order of its fields.
        let compact = fields.to_string();
        if compact != text {
            return Err(format!("{key} is {text}"));
        }
        if !fields["salt"].is_null() {
            fields["salt"] = decoded(&fields["salt"])?.len().into();
        }
        *metadata = fields.to_string().into();
    }
    // A text: values are equal in any order of their fields.
    Ok(envelope.to_string())
}

fn decoded(value: &Value) -> Result<Vec<u8>, String> {
    let text = value.as_str().ok_or("no text")?;
    STANDARD.decode(text).map_err(|error| error.to_string())
}

#[test]
fn every_plaintext_encrypts_as_opentofu_encrypts_it() {
    let vectors = data("vectors/envelopes.json");
    let vectors: Vec<_> = vectors
        .into_iter()
        .filter(|vector| vector["outcome"] == "accepted" && vector["name"] != "external")
        .collect();
    each(&vectors, |vector| {
        let encryption = vector["config"].as_str().ok_or("no config")?;
        let plaintext = vector["plaintext"].as_str().ok_or("no plaintext")?;
        let theirs = vector["envelope"].as_str().ok_or("no envelope")?;
        let ours = encrypt(encryption, plaintext)?;
        // The same fields in the same order, and nothing between them.
        let compact = serde_json::from_str::<Value>(&ours).map_err(|error| error.to_string())?;
        let compact = compact.to_string();
        if compact != ours {
            return Err(format!("not compact: {ours}"));
        }
        let (expected, came) = (without_random_bytes(theirs)?, without_random_bytes(&ours)?);
        if expected != came {
            return Err(format!("expected {expected}, came {came}"));
        }
        match decrypt(encryption, &ours)? {
            (text, false) if text == plaintext => Ok(()),
            other => Err(format!("decrypted to {other:?}")),
        }
    });
}

#[test]
fn what_opentofu_encrypts_and_refuses_to_encrypt() {
    let vectors = data("vectors/rotation_and_envelope_errors.json");
    let vectors: Vec<_> = vectors
        .into_iter()
        .filter(|vector| vector["mode"] == "encrypt")
        .collect();
    assert_eq!(vectors.len(), 3);
    each(&vectors, |vector| {
        let encryption = vector["config"].as_str().ok_or("no config")?;
        let plaintext = vector["plaintext"].as_str().ok_or("no plaintext")?;
        let ours = encrypt(encryption, plaintext);
        if vector["outcome"] == "error" {
            return match ours {
                Ok(_) => Err("accepted".to_owned()),
                Err(message) => shows_no_secret(&message),
            };
        }
        let (ours, theirs) = (ours?, vector["envelope"].as_str().ok_or("no envelope")?);
        if theirs == plaintext {
            return if ours == plaintext {
                Ok(())
            } else {
                Err(format!("not passed through: {ours}"))
            };
        }
        let (expected, came) = (without_random_bytes(theirs)?, without_random_bytes(&ours)?);
        if expected == came {
            Ok(())
        } else {
            Err(format!("expected {expected}, came {came}"))
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
