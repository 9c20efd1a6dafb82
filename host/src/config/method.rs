//! `method` blocks: what is done with the keys.

use serde_json::Value as Json;

use super::convert::convert;
use super::decode::{Decoder, KeySource};
use super::document::Attribute;
use super::encryption::{MethodBlock, bytes};
use super::reference::Address;
use super::source::ConfigError;
use crate::descriptor::AttributeType;

/// A method, decoded.
#[derive(Clone, Debug)]
pub enum Method {
    /// `aes_gcm`.
    AesGcm {
        /// Where the keys come from.
        keys: KeySource,
        /// The associated data.
        aad: Vec<u8>,
    },
    /// `unencrypted`.
    Unencrypted,
    /// `external`.
    External(ExternalMethod),
}

/// Programs that encrypt and decrypt, by OpenTofu's external method protocol.
#[derive(Clone, Debug)]
pub struct ExternalMethod {
    /// The program that encrypts, and its arguments; never empty.
    pub encrypt_command: Vec<String>,
    /// The program that decrypts, and its arguments; never empty.
    pub decrypt_command: Vec<String>,
    /// Where the keys come from, if the programs want any.
    pub keys: Option<KeySource>,
}

impl Method {
    /// The key provider that it takes keys from.
    pub fn key_provider(&self) -> Option<&Address> {
        let keys = match self {
            Self::AesGcm { keys, .. } => Some(keys),
            Self::Unencrypted => None,
            Self::External(external) => external.keys.as_ref(),
        };
        match keys? {
            KeySource::Provider(address) => Some(address),
            KeySource::Literal(_) => None,
        }
    }

    pub(super) fn decode(block: &MethodBlock, decoder: &Decoder<'_>) -> Result<Self, ConfigError> {
        match block.kind.as_str() {
            "aes_gcm" => aes_gcm(block, decoder),
            "external" => external(block, decoder).map(Self::External),
            // As in OpenTofu, what is written inside is ignored.
            "unencrypted" => Ok(Self::Unencrypted),
            other => {
                let message = format!(
                    "there is no method \"{other}\", only aes_gcm, external and unencrypted"
                );
                Err(decoder.sources.error(&block.span, message))
            }
        }
    }
}

fn aes_gcm(block: &MethodBlock, decoder: &Decoder<'_>) -> Result<Method, ConfigError> {
    refuse_unknown(block, decoder, &["keys", "aad"])?;
    let keys = required(block, decoder, "keys")?;
    let aad = match block.attribute("aad") {
        None => None,
        Some(attribute) => bytes(decoder.sources, decoder.scope, &attribute.value)?,
    };
    Ok(Method::AesGcm {
        keys: decoder.key(&keys.value)?,
        aad: aad.unwrap_or_default(),
    })
}

fn external(block: &MethodBlock, decoder: &Decoder<'_>) -> Result<ExternalMethod, ConfigError> {
    refuse_unknown(
        block,
        decoder,
        &["keys", "encrypt_command", "decrypt_command"],
    )?;
    let keys = match block.attribute("keys") {
        None => None,
        Some(attribute) => Some(decoder.key(&attribute.value)?),
    };
    Ok(ExternalMethod {
        encrypt_command: command(block, decoder, "encrypt_command")?,
        decrypt_command: command(block, decoder, "decrypt_command")?,
        keys,
    })
}

/// A program and its arguments.
fn command(
    block: &MethodBlock,
    decoder: &Decoder<'_>,
    name: &str,
) -> Result<Vec<String>, ConfigError> {
    let attribute = required(block, decoder, name)?;
    let evaluated = decoder.scope.evaluate(decoder.sources, &attribute.value)?;
    let texts = match convert(&evaluated, AttributeType::ListOfString) {
        Ok(Json::Array(texts)) => texts,
        _ => Vec::new(),
    };
    let words: Vec<String> = texts
        .into_iter()
        .filter_map(|text| match text {
            Json::String(text) => Some(text),
            _ => None,
        })
        .collect();
    if words.first().is_none_or(String::is_empty) || words.iter().any(|word| word.contains('\0')) {
        let message = format!("{name} takes a list of strings, a program and its arguments");
        return Err(decoder.sources.error(&attribute.value.span, message));
    }
    Ok(words)
}

fn refuse_unknown(
    block: &MethodBlock,
    decoder: &Decoder<'_>,
    known: &[&str],
) -> Result<(), ConfigError> {
    let mut written = block.attributes.iter();
    match written.find(|attribute| !known.contains(&attribute.name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let message = format!(
                "{} has no attribute \"{}\", only {}",
                decoder.block,
                unknown.name,
                known.join(", ")
            );
            Err(decoder.sources.error(&unknown.span, message))
        }
    }
}

fn required<'a>(
    block: &'a MethodBlock,
    decoder: &Decoder<'_>,
    name: &str,
) -> Result<&'a Attribute, ConfigError> {
    block.attribute(name).ok_or_else(|| {
        let message = format!("{} needs the attribute \"{name}\"", decoder.block);
        decoder.sources.error(&block.span, message)
    })
}
