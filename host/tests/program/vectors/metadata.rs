//! Stored metadata, from valid to hostile, and refused configurations.

use std::sync::Mutex;

use keyhost::config::reference::Address;
use keyhost::key_provider::ProvideError;
use keyhost::key_provider::metadata::{MetadataError, Purpose, StoredMetadata};
use keyhost::plugins::error::{CallError, ErrorKind};
use keyhost::sandbox::fault::Fault;
use serde_json::Value;

use super::{Deviations, each, shows_no_secret};
use crate::support::{config, data, key_providers};

/// A vector's configuration, with the keys of upstream providers written out.
fn encryption(vector: &Value) -> (String, Address) {
    let kind = vector["provider"].as_str().expect("provider");
    let body = vector["config"].as_str().unwrap_or_default();
    let mut body = format!("{body}\n");
    for (name, keys) in vector["upstream"].as_object().into_iter().flatten() {
        let bytes = |field: &str| {
            let key = hex::decode(keys[field].as_str()?).expect("hex");
            Some(format!("{key:?}"))
        };
        let mut literal = format!("{{ encryption_key = {}", bytes("enc").expect("enc"));
        if let Some(key) = bytes("dec") {
            literal.push_str(&format!(", decryption_key = {key}"));
        }
        literal.push_str(" }");
        body = body.replace(&format!("key_provider.{name}\n"), &format!("{literal}\n"));
    }
    let address = Address::new(kind, "it").expect("address");
    (
        format!("key_provider \"{kind}\" \"it\" {{\n{body}}}\n"),
        address,
    )
}

fn is_ours(vector: &Value) -> bool {
    vector["provider"] != "external"
}

#[test]
fn stored_metadata() {
    let deviations = Mutex::new(Deviations::of("negative_metadata.json"));
    let vectors: Vec<_> = data("vectors/negative_metadata.json")
        .into_iter()
        .filter(is_ours)
        .collect();
    each(&vectors, |vector| {
        let outcome = deviations.lock().expect("lock").outcome(vector);
        let (encryption, address) = encryption(vector);
        let config = config(&encryption).map_err(|error| error.to_string())?;
        let mut stored = StoredMetadata::new();
        let metadata = vector["meta_in"].as_str();
        // The vectors leave out empty texts.
        let name = vector["name"].as_str().unwrap_or_default();
        if let Some(metadata) = metadata.or(name.ends_with("empty-string").then_some("")) {
            stored.insert(address.to_string(), metadata.to_owned());
        }
        let provided = key_providers(&config).provide(&address, &Purpose::Decrypt(stored));
        match (provided, outcome.as_str()) {
            (Ok(output), "accepted") => {
                let ours = output
                    .keys
                    .decryption_key
                    .map(|key| hex::encode(key.expose()));
                let theirs = vector["decryption_key_hex"].as_str().map(str::to_owned);
                if ours == theirs || vector["outcome"] == "error" {
                    Ok(())
                } else {
                    Err(format!("{ours:?}, not {theirs:?}"))
                }
            }
            (Err(error), "error") => {
                let message = error.to_string();
                if !is_typed(&error) {
                    return Err(format!("of the wrong type: {message}"));
                }
                shows_no_secret(&message)
            }
            (Ok(_), _) => Err("accepted".to_owned()),
            (Err(error), _) => Err(error.to_string()),
        }
    });
    deviations.into_inner().expect("lock").all_seen();
}

/// Bad metadata is told as such, or as a limit; nothing else may happen.
fn is_typed(error: &ProvideError) -> bool {
    match error {
        ProvideError::Metadata { cause, .. } => !matches!(cause, MetadataError::Missing { .. }),
        ProvideError::Call { cause, .. } => matches!(
            cause,
            CallError::Fault(Fault::Limit(_))
                | CallError::Guest {
                    kind: ErrorKind::InvalidMetadata | ErrorKind::InvalidConfiguration,
                    ..
                }
        ),
        _ => false,
    }
}

#[test]
fn refused_configurations_are_invalid_configurations() {
    let vectors: Vec<_> = data("vectors/build_error_types.json")
        .into_iter()
        .filter(is_ours)
        .collect();
    each(&vectors, |vector| {
        let (encryption, address) = encryption(vector);
        let config = config(&encryption).map_err(|error| error.to_string())?;
        match key_providers(&config).provide(&address, &Purpose::Encrypt) {
            Err(ProvideError::Call {
                cause:
                    CallError::Guest {
                        kind: ErrorKind::InvalidConfiguration,
                        message,
                    },
                ..
            }) => shows_no_secret(&message),
            Err(other) => Err(format!("of the wrong type: {other}")),
            Ok(_) => Err("accepted".to_owned()),
        }
    });
}
