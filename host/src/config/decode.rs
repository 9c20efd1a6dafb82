//! From a block's attributes to what a component's `build` receives, ruled by
//! the attributes that the component declares.

use serde_json::{Map, Value as Json};

use super::convert::convert;
use super::document::{Attribute as Written, Expression};
use super::encryption::byte_list;
use super::evaluate::{Scope, type_of};
use super::reference::{self, Address};
use super::source::{ConfigError, Span};
use super::sources::Sources;
use crate::descriptor::{Attribute, AttributeType, Descriptor};
use crate::secret::{KeyPair, Secret};

/// Where a `key` attribute takes its keys from.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// Another key provider.
    Provider(Address),
    /// Written out: `{ encryption_key = [1, 2, …] }`.
    Literal(KeyPair),
}

/// A block, decoded; its references are not resolved yet.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// The plain attributes, with defaults.
    pub attributes: Map<String, Json>,
    /// The sensitive attributes.
    pub secrets: Vec<(String, Secret)>,
    /// The `key` attributes.
    pub keys: Vec<(String, KeySource)>,
}

/// Decodes the attributes of one block.
pub(super) struct Decoder<'a> {
    pub(super) sources: &'a Sources,
    pub(super) scope: &'a Scope,
    /// What the block is called in errors.
    pub(super) block: String,
    pub(super) span: &'a Span,
}

impl Decoder<'_> {
    pub(super) fn decode(
        &self,
        written: &[Written],
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        self.refuse_unknown(written, descriptor)?;
        let mut decoded = Decoded::default();
        for attribute in &descriptor.attributes {
            let name = &attribute.name;
            let Some(written) = written.iter().find(|written| written.name == *name) else {
                if attribute.required {
                    let message = format!(
                        "{} needs the attribute \"{name}\": {}",
                        self.block, attribute.description
                    );
                    return Err(self.sources.error(self.span, message));
                }
                if let Some(default) = &attribute.default {
                    decoded.attributes.insert(name.clone(), default.clone());
                }
                continue;
            };
            if attribute.kind == AttributeType::Key {
                decoded.keys.push((name.clone(), self.key(&written.value)?));
                continue;
            }
            match self.plain(attribute, written)? {
                Json::String(text) if attribute.sensitive => {
                    decoded.secrets.push((name.clone(), Secret::from(text)));
                }
                Json::Object(fields) if attribute.sensitive => {
                    for (key, field) in fields {
                        if let Json::String(text) = field {
                            let name = format!("{name}.{key}");
                            decoded.secrets.push((name, Secret::from(text)));
                        }
                    }
                }
                value => {
                    decoded.attributes.insert(name.clone(), value);
                }
            }
        }
        Ok(decoded)
    }

    fn refuse_unknown(
        &self,
        written: &[Written],
        descriptor: &Descriptor,
    ) -> Result<(), ConfigError> {
        let unknown = written
            .iter()
            .find(|written| descriptor.attribute(&written.name).is_none());
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let known: Vec<_> = descriptor
            .attributes
            .iter()
            .map(|known| known.name.as_str())
            .collect();
        let message = format!(
            "{} has no attribute \"{}\", only {}",
            self.block,
            unknown.name,
            known.join(", ")
        );
        Err(self.sources.error(&unknown.span, message))
    }

    fn plain(&self, attribute: &Attribute, written: &Written) -> Result<Json, ConfigError> {
        let value = self.scope.evaluate(self.sources, &written.value)?;
        convert(&value, attribute.kind).map_err(|found| {
            let message = format!(
                "the attribute \"{}\" of {} takes {}, not {found}",
                attribute.name, self.block, attribute.kind
            );
            if attribute.sensitive {
                self.sources.error(&written.value.span, message)
            } else {
                self.sources
                    .error_masking(&written.span, &written.value.span, message)
            }
        })
    }

    /// A reference, or keys written out.
    pub(super) fn key(&self, value: &Expression) -> Result<KeySource, ConfigError> {
        if let Some(address) = reference::address(value) {
            return Ok(KeySource::Provider(address));
        }
        let wanted = "a reference to a key provider is needed here: key_provider.TYPE.NAME";
        let path = reference::path(value);
        if path.as_ref().is_some_and(|path| path[0] == "key_provider") {
            return Err(self.sources.error(&value.span, wanted));
        }
        let evaluated = self.scope.evaluate(self.sources, value)?;
        let Some(fields) = evaluated.as_object() else {
            let message = format!("{wanted}, not {}", type_of(&evaluated));
            return Err(self.sources.error(&value.span, message));
        };
        let mut keys = (None, None);
        for (name, field) in fields {
            let place = match name.as_str() {
                "encryption_key" => &mut keys.0,
                "decryption_key" => &mut keys.1,
                _ => {
                    let message =
                        "keys have an encryption_key and a decryption_key, and no other field";
                    return Err(self.sources.error(&value.span, message));
                }
            };
            if field.is_null() {
                continue;
            }
            let bytes = byte_list(field).ok_or_else(|| {
                let message = format!("{name} is a list of bytes: whole numbers from 0 to 255");
                self.sources.error(&value.span, message)
            })?;
            *place = Some(Secret::new(bytes));
        }
        let Some(encryption_key) = keys.0 else {
            return Err(self
                .sources
                .error(&value.span, "keys need an encryption_key"));
        };
        Ok(KeySource::Literal(KeyPair {
            encryption_key,
            decryption_key: keys.1,
        }))
    }
}
