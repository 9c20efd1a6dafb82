use std::collections::BTreeMap;

use anyhow::Context;
use keyhost::config::reference::Address;
use keyhost::envelope::Contents;
use keyhost::key_provider::metadata::{Purpose, StoredMetadata};
use keyhost::secret::Secret;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::cli::{Global, Provide};
use crate::files;

#[derive(Serialize)]
struct Answer {
    address: String,
    encryption_key: Key,
    decryption_key: Option<Key>,
    /// Byte for byte, as it is to be stored.
    metadata: BTreeMap<String, Box<RawValue>>,
}

#[derive(Serialize)]
struct Key {
    /// In bytes.
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<Zeroizing<String>>,
}

/// Gives keys and metadata, as JSON.
pub(crate) fn run(global: &Global, command: &Provide) -> anyhow::Result<()> {
    let purpose = purpose(command)?;
    let config = global.load_config()?;
    let output = global
        .key_providers(&config)?
        .provide(&command.address, &purpose)?;
    let metadata = output
        .metadata
        .into_iter()
        .map(|(key, text)| Ok((key, RawValue::from_string(text)?)));
    let key = |secret: &Secret| Key {
        length: secret.len(),
        hex: command
            .reveal
            .then(|| Zeroizing::new(hex::encode(secret.expose()))),
    };
    print(&Answer {
        address: Address::to_string(&command.address),
        encryption_key: key(&output.keys.encryption_key),
        decryption_key: output.keys.decryption_key.as_ref().map(key),
        metadata: metadata.collect::<anyhow::Result<_>>()?,
    })
}

fn print(answer: &Answer) -> anyhow::Result<()> {
    let mut text = Zeroizing::new(serde_json::to_vec_pretty(answer)?);
    text.push(b'\n');
    files::print(&text)
}

fn purpose(command: &Provide) -> anyhow::Result<Purpose> {
    if let Some(path) = &command.state {
        let contents = Contents::of(files::read(path)?)
            .with_context(|| format!("{} cannot be used", path.display()))?;
        return match contents {
            Contents::Encrypted(envelope) => Ok(Purpose::Decrypt(envelope.metadata)),
            Contents::Plain(..) => anyhow::bail!("{} is not encrypted", path.display()),
        };
    }
    let Some(path) = &command.metadata else {
        return Ok(Purpose::Encrypt);
    };
    let bytes = files::read(path)?;
    let stored: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no JSON object of metadata by key", path.display()))?;
    let stored = stored.into_iter().map(|(key, value)| (key, text(&value)));
    Ok(Purpose::Decrypt(stored.collect::<StoredMetadata>()))
}

/// Metadata is written as JSON, or as a text that holds JSON.
fn text(value: &RawValue) -> String {
    match serde_json::from_str(value.get()) {
        Ok(Value::String(text)) => text,
        _ => value.get().to_owned(),
    }
}
