//! `method` blocks: what is done with the keys.

use super::decode::{Decoder, KeySource};
use super::document::Attribute;
use super::encryption::{MethodBlock, bytes};
use super::source::ConfigError;

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
}

impl Method {
    pub(super) fn decode(block: &MethodBlock, decoder: &Decoder<'_>) -> Result<Self, ConfigError> {
        match block.kind.as_str() {
            "aes_gcm" => aes_gcm(block, decoder),
            // As in OpenTofu, what is written inside is ignored.
            "unencrypted" => Ok(Self::Unencrypted),
            other => {
                let message =
                    format!("there is no method \"{other}\", only aes_gcm and unencrypted");
                Err(decoder.source.error(&block.span, message))
            }
        }
    }
}

fn aes_gcm(block: &MethodBlock, decoder: &Decoder<'_>) -> Result<Method, ConfigError> {
    let known = |attribute: &&Attribute| !matches!(attribute.name.as_str(), "keys" | "aad");
    if let Some(unknown) = block.attributes.iter().find(known) {
        let message = format!(
            "{} has no attribute \"{}\", only keys and aad",
            decoder.block, unknown.name
        );
        return Err(decoder.source.error(&unknown.span, message));
    }
    let find = |name| {
        block
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)
    };
    let Some(keys) = find("keys") else {
        let message = format!("{} needs the attribute \"keys\"", decoder.block);
        return Err(decoder.source.error(&block.span, message));
    };
    let aad = match find("aad") {
        None => None,
        Some(attribute) => bytes(decoder.source, decoder.scope, &attribute.value)?,
    };
    Ok(Method::AesGcm {
        keys: decoder.key(&keys.value)?,
        aad: aad.unwrap_or_default(),
    })
}
