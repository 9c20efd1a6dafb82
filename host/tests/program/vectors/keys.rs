//! Keys and new metadata, on a first call and with metadata fed back.

use keyhost::config::reference::Address;
use keyhost::key_provider::metadata::{Purpose, StoredMetadata};
use keyhost::key_provider::output::Output;
use serde_json::Value;

use super::each;
use crate::support::{config, data, key_providers};

fn provide(encryption: &str, address: &str, stored: StoredMetadata) -> Result<Output, String> {
    let config = config(encryption).map_err(|error| error.to_string())?;
    let address: Address = address.parse().map_err(|_| "address".to_owned())?;
    key_providers(&config)
        .provide(&address, &Purpose::Decrypt(stored))
        .map_err(|error| error.to_string())
}

/// Metadata maps of a vector's call.
fn map(value: &Value) -> StoredMetadata {
    let fields = value.as_object().into_iter().flatten();
    fields
        .map(|(key, text)| (key.clone(), text.as_str().expect("text").to_owned()))
        .collect()
}

fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str, String> {
    value[field].as_str().ok_or_else(|| format!("no {field}"))
}

/// The same but for the salt: field names, their order and other values.
fn same_form(ours: &str, theirs: &str) -> Result<(), String> {
    let without_salt = |text: &str| -> Result<String, String> {
        let metadata: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match metadata["salt"].as_str() {
            Some(salt) => Ok(text.replace(salt, &"?".repeat(salt.len()))),
            None => Ok(text.to_owned()),
        }
    };
    let (ours, theirs) = (without_salt(ours)?, without_salt(theirs)?);
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("new metadata {ours}, not {theirs}"))
    }
}

/// Feeds back stored metadata, and wants its key and new metadata of a form.
fn opens(
    encryption: &str,
    address: &str,
    stored: &StoredMetadata,
    key: &str,
    new: &StoredMetadata,
) -> Result<(), String> {
    let output = provide(encryption, address, stored.clone())?;
    let ours = output.keys.decryption_key.ok_or("no decryption key")?;
    let ours = hex::encode(ours.expose());
    if ours != key {
        return Err(format!("decryption key {ours}, not {key}"));
    }
    if output.metadata.keys().ne(new.keys()) {
        return Err(format!("metadata of {:?}", output.metadata.keys()));
    }
    for (key, theirs) in new {
        same_form(&output.metadata[key], theirs)?;
    }
    Ok(())
}

/// Both calls of a vector: what OpenTofu stored opens with OpenTofu's keys.
fn both_calls(vector: &Value, encryption: &str, address: &str) -> Result<(), String> {
    for call in ["first", "second"] {
        let call = &vector[call];
        let new = map(&call["meta_out_map"]);
        opens(
            encryption,
            address,
            &new,
            text(call, "encryption_key_hex")?,
            &new,
        )?;
    }
    Ok(())
}

#[test]
fn pbkdf2() {
    each(&data("vectors/pbkdf2.json"), |vector| {
        let body = text(vector, "config_body")?;
        let encryption = format!("key_provider \"pbkdf2\" \"p\" {{\n{body}\n}}");
        let address = "key_provider.pbkdf2.p";
        let second = &vector["second"];
        let of =
            |field| Ok::<_, String>([(address.to_owned(), text(second, field)?.to_owned())].into());
        let (stored, new) = (of("meta_in")?, of("meta_out")?);
        opens(
            &encryption,
            address,
            &stored,
            text(second, "decryption_key_hex")?,
            &new,
        )?;
        opens(
            &encryption,
            address,
            &new,
            text(second, "encryption_key_hex")?,
            &new,
        )
    });
}

#[test]
fn chains_of_pbkdf2() {
    each(&data("vectors/pbkdf2_chain.json"), |vector| {
        let address = format!("key_provider.{}", text(vector, "provider")?);
        both_calls(vector, text(vector, "config")?, &address)
    });
}

#[test]
fn static_and_xor() {
    each(&data("vectors/static_xor.json"), |vector| {
        let provider = vector["provider"].as_str().unwrap_or("xor.x");
        let address = format!("key_provider.{provider}");
        let result = both_calls(vector, text(vector, "config")?, &address);
        // OpenTofu accepts a key of zeros.
        if vector["name"] != "xor-equal-keys" {
            return result;
        }
        match result {
            Err(message) if message.contains("zeros") => Ok(()),
            other => Err(format!("not refused: {other:?}")),
        }
    });
}

#[test]
fn first_calls_give_an_encryption_key_alone() {
    for file in ["vectors/static_xor.json", "vectors/pbkdf2_chain.json"] {
        each(&data(file), |vector| {
            if vector["name"] == "xor-equal-keys" {
                return Ok(());
            }
            let provider = vector["provider"].as_str().unwrap_or("xor.x");
            let config = config(text(vector, "config")?).map_err(|error| error.to_string())?;
            let address = format!("key_provider.{provider}")
                .parse()
                .map_err(|_| "address")?;
            let output = key_providers(&config)
                .provide(&address, &Purpose::Encrypt)
                .map_err(|error| error.to_string())?;
            if output.keys.decryption_key.is_some() {
                return Err("a decryption key".to_owned());
            }
            let length = text(&vector["first"], "encryption_key_hex")?.len() / 2;
            if output.keys.encryption_key.len() != length {
                return Err(format!("{} bytes", output.keys.encryption_key.len()));
            }
            Ok(())
        });
    }
}
