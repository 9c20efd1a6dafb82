//! The operator's file: text, values, and what components declare, brought
//! together with errors that point at file, line and column.

pub mod components;
pub mod decode;
pub mod ephemeral;
pub mod graph;
pub mod inputs;
pub mod method;
pub mod pin;
pub mod reference;
pub mod source;
pub mod storage;
pub mod syntax;
pub mod target;

mod convert;
mod document;
mod encryption;
mod evaluate;
mod functions;
mod hcl;
mod helpers;
mod json;
mod layout;
mod variables;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::descriptor::Descriptor;
use components::ComponentConfig;
use decode::{Decoded, Decoder, KeySource};
use document::DeclaredBlock;
use encryption::Encryption;
use ephemeral::EphemeralAddress;
use evaluate::Scope;
use inputs::Inputs;
use reference::Address;
use source::{ConfigError, Source, Span};
use storage::StorageConfig;
use syntax::Syntax;

/// The largest configuration file, in bytes.
const MAXIMUM_FILE_SIZE: u64 = 16 << 20;

/// An operator's configuration.
pub struct Config {
    source: Source,
    scope: Scope,
    components: BTreeMap<String, ComponentConfig>,
    encryption: Encryption,
    storage: StorageConfig,
    helpers: BTreeMap<String, DeclaredBlock>,
    ephemeral: BTreeMap<EphemeralAddress, DeclaredBlock>,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigError`], with the place in the file.
    pub fn load(path: &Path, inputs: &Inputs) -> Result<Self, ConfigError> {
        let source = read_source(path)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Self::parse(source, Syntax::of(path), directory, inputs)
    }

    /// Reads a text. `directory` is what paths in it are relative to.
    ///
    /// # Errors
    /// [`ConfigError`], with the place in the text.
    pub fn parse(
        source: Source,
        syntax: Syntax,
        directory: &Path,
        inputs: &Inputs,
    ) -> Result<Self, ConfigError> {
        let body = syntax.parse(&source, &layout::FILE)?;
        let values = variables::values(&source, &body, directory, inputs)?;
        let scope = Scope::new(directory, &values);
        let components = components::components(&source, &body, directory, &scope)?;
        let encryption = encryption::encryption(&source, &body)?;
        let storage = storage::storage(&source, &body, directory, &scope)?;
        let helpers = helpers::helpers(&source, &body)?;
        let ephemeral = ephemeral::ephemeral_resources(&source, &body)?;
        Ok(Self {
            source,
            scope,
            components,
            encryption,
            storage,
            helpers,
            ephemeral,
        })
    }

    /// Every configured component, by type.
    pub fn components(&self) -> impl Iterator<Item = &ComponentConfig> {
        self.components.values()
    }

    /// The address of every configured key provider.
    pub fn key_providers(&self) -> impl Iterator<Item = &Address> {
        self.encryption.key_providers.keys()
    }

    /// The component that makes a key provider.
    ///
    /// # Errors
    /// [`ConfigError`] where no component has the provider's type, or the one
    /// that has is not pinned.
    pub fn component(&self, address: &Address) -> Result<&ComponentConfig, ConfigError> {
        let block = self.block(address)?;
        self.component_of(&address.to_string(), address.kind(), &block.span)
    }

    /// Where components keep bytes.
    pub fn storage(&self) -> &StorageConfig {
        &self.storage
    }

    fn component_of(
        &self,
        user: &str,
        kind: &str,
        span: &Span,
    ) -> Result<&ComponentConfig, ConfigError> {
        let Some(component) = self.components.get(kind) else {
            let message = format!(
                "{user} has the type \"{kind}\", for which there is no component \"{kind}\" block"
            );
            return Err(self.source.error(span, message));
        };
        self.require_pin(component)?;
        Ok(component)
    }

    /// Refuses a component that is not pinned.
    ///
    /// # Errors
    /// [`ConfigError`] with its place.
    pub fn require_pin(&self, component: &ComponentConfig) -> Result<(), ConfigError> {
        if component.sha256.is_some() {
            return Ok(());
        }
        let message = format!(
            "the component \"{}\" has no sha256: vet {} and run `keyhost pin`",
            component.name,
            component.path.display()
        );
        Err(self.source.error(&component.span, message))
    }

    /// The components of these names, or all where there are no names.
    ///
    /// # Errors
    /// [`ConfigError`] where there is none of a name.
    pub fn chosen_components(
        &self,
        names: &[String],
    ) -> Result<Vec<&ComponentConfig>, ConfigError> {
        if names.is_empty() {
            return Ok(self.components.values().collect());
        }
        let named = |name: &String| {
            self.components.get(name).ok_or_else(|| {
                ConfigError::new(format!(
                    "{} has no component \"{name}\"",
                    self.source.name()
                ))
            })
        };
        names.iter().map(named).collect()
    }

    /// A component by its name.
    ///
    /// # Errors
    /// [`ConfigError`] where there is none, or it is not pinned.
    pub fn pinned_component(&self, name: &str) -> Result<&ComponentConfig, ConfigError> {
        let Some(component) = self.components.get(name) else {
            let message = format!("{} has no component \"{name}\"", self.source.name());
            return Err(ConfigError::new(message));
        };
        self.require_pin(component)?;
        Ok(component)
    }

    /// Refuses references to key providers that there are not.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn check_key_provider(&self, address: &Address) -> Result<(), ConfigError> {
        self.block(address).map(drop)
    }

    /// File, line and column of a component's block.
    pub fn place(&self, component: &ComponentConfig) -> String {
        self.source.place(&component.span)
    }

    /// The key under which a provider's metadata is stored: its
    /// `encrypted_metadata_alias`, or its address.
    ///
    /// # Errors
    /// [`ConfigError`] where there is no such provider.
    pub fn metadata_key(&self, address: &Address) -> Result<&str, ConfigError> {
        Ok(&self.block(address)?.metadata_key)
    }

    /// Decodes a key provider's block by what its component declares.
    ///
    /// # Errors
    /// [`ConfigError`] at the attribute that is missing, unknown or of the
    /// wrong type, or that refers to nothing.
    pub fn decode(
        &self,
        address: &Address,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let decoded = self.decode_alone(address, descriptor)?;
        let block = self.block(address)?;
        self.check_references(&decoded, &block.attributes, &block.span)?;
        Ok(decoded)
    }

    /// The decoder of a block, by what errors call it.
    fn decoder<'a>(&'a self, block: String, span: &'a Span) -> Decoder<'a> {
        Decoder {
            source: &self.source,
            scope: &self.scope,
            block,
            span,
        }
    }

    fn check_references(
        &self,
        decoded: &Decoded,
        written: &[document::Attribute],
        block: &Span,
    ) -> Result<(), ConfigError> {
        for (name, key) in &decoded.keys {
            let KeySource::Provider(other) = key else {
                continue;
            };
            if !self.encryption.key_providers.contains_key(other) {
                let written = written.iter().find(|written| written.name == *name);
                let span = written.map_or(block, |written| &written.value.span);
                return Err(self.source.error(span, format!("there is no {other}")));
            }
        }
        Ok(())
    }

    /// As [`Config::decode`], whatever references refer to.
    ///
    /// # Errors
    /// [`ConfigError`] at the attribute that is missing, unknown or of the
    /// wrong type.
    pub fn decode_alone(
        &self,
        address: &Address,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let block = self.block(address)?;
        let decoder = self.decoder(address.to_string(), &block.span);
        decoder.decode(&block.attributes, descriptor)
    }

    /// The address and all that it refers to, in the order to ask them.
    ///
    /// # Errors
    /// What `references` answers, or a cycle with its whole path.
    pub fn order<E: From<ConfigError>>(
        &self,
        start: &Address,
        references: impl FnMut(&Address) -> Result<Vec<Address>, E>,
    ) -> Result<Vec<Address>, E> {
        graph::order(start, references, |last, cycle| {
            let block = self.encryption.key_providers.get(last);
            let span = block.map_or(0..0, |block| block.span.clone());
            self.source.error(&span, cycle.to_string()).into()
        })
    }

    fn block(&self, address: &Address) -> Result<&encryption::KeyProviderBlock, ConfigError> {
        self.encryption.key_providers.get(address).ok_or_else(|| {
            let known = listed(self.key_providers());
            ConfigError::new(format!(
                "{} has no {address}; it has {known}",
                self.source.name()
            ))
        })
    }
}

/// What there is, for an error that says what there is not.
fn listed(names: impl Iterator<Item = impl ToString>) -> String {
    let names: Vec<_> = names.map(|name| name.to_string()).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}

/// Reads a file's text, bounded.
fn read_source(path: &Path) -> Result<Source, ConfigError> {
    let name = path.display().to_string();
    let failed =
        |error: std::io::Error| ConfigError::new(format!("{name} cannot be read: {error}"));
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAXIMUM_FILE_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAXIMUM_FILE_SIZE {
        return Err(ConfigError::new(format!(
            "{name} is larger than {MAXIMUM_FILE_SIZE} bytes"
        )));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| ConfigError::new(format!("{name} is not UTF-8")))?;
    Ok(Source::new(name, text))
}
