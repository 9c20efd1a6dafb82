//! The operator's files: texts, values, and what components declare, brought
//! together with errors that point at file, line and column.

pub mod components;
pub mod decode;
pub mod ephemeral;
pub mod graph;
pub mod inputs;
pub mod method;
pub mod module;
pub mod pin;
pub mod reference;
pub mod source;
pub mod storage;
pub mod syntax;
pub mod target;

mod assemble;
mod convert;
mod counted;
mod document;
mod encryption;
mod environment;
mod evaluate;
mod functions;
mod hcl;
mod helpers;
mod json;
mod layout;
mod locals;
mod merge;
mod meter;
mod names;
mod read;
mod sources;
mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::descriptor::Descriptor;
use components::ComponentConfig;
use decode::{Decoded, Decoder, KeySource};
use document::{Body, DeclaredBlock};
use encryption::Encryption;
use ephemeral::EphemeralAddress;
use evaluate::Scope;
use inputs::Inputs;
use module::ModuleFiles;
use reference::Address;
use source::{ConfigError, Source, Span};
use sources::Sources;
use storage::StorageConfig;
use syntax::Syntax;

/// An operator's configuration.
pub struct Config {
    sources: Sources,
    scope: Scope,
    components: BTreeMap<String, ComponentConfig>,
    encryption: Encryption,
    storage: StorageConfig,
    helpers: BTreeMap<String, DeclaredBlock>,
    ephemeral: BTreeMap<EphemeralAddress, DeclaredBlock>,
}

impl Config {
    /// Reads a file, or a directory: an OpenTofu module, of which only what
    /// concerns encryption counts, and keyhost's own file in it.
    ///
    /// # Errors
    /// [`ConfigError`], with the place in the file.
    pub fn load(path: &Path, inputs: &Inputs) -> Result<Self, ConfigError> {
        let mut sources = Sources::new(path.display().to_string());
        if path.is_dir() {
            let files = ModuleFiles::find(path)?;
            let body = assemble::module(&mut sources, &files)?;
            return Self::assemble(sources, body, path, &files.variables, inputs);
        }
        let directory = path.parent().unwrap_or(Path::new(""));
        let body = assemble::file(&mut sources, path)?;
        Self::assemble(sources, body, directory, &[], inputs)
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
        let mut sources = Sources::new(source.name().to_owned());
        let body = assemble::text(&mut sources, source, syntax)?;
        Self::assemble(sources, body, directory, &[], inputs)
    }

    fn assemble(
        mut sources: Sources,
        mut body: Body,
        directory: &Path,
        variables_files: &[PathBuf],
        inputs: &Inputs,
    ) -> Result<Self, ConfigError> {
        if let Some(text) = inputs.encryption() {
            assemble::environment(&mut sources, &mut body, text)?;
        }
        let values = variables::values(&sources, &body, directory, variables_files, inputs)?;
        let locals = locals::locals(&sources, &body)?;
        let scope = Scope::new(directory, &values, locals);
        let components = components::components(&sources, &body, directory, &scope)?;
        let encryption = encryption::encryption(&sources, &body)?;
        let storage = storage::storage(&sources, &body, directory, &scope)?;
        let helpers = helpers::helpers(&sources, &body)?;
        let ephemeral = ephemeral::ephemeral_resources(&sources, &body)?;
        Ok(Self {
            sources,
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
            return Err(self.sources.error(span, message));
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
        Err(self.sources.error(&component.span, message))
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
                    self.sources.name()
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
            let message = format!("{} has no component \"{name}\"", self.sources.name());
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
        self.sources.place(&component.span)
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
            sources: &self.sources,
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
                return Err(self.sources.error(span, format!("there is no {other}")));
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
            let message = format!("key providers refer to each other in a cycle: {cycle}");
            self.sources.error(&span, message).into()
        })
    }

    fn block(&self, address: &Address) -> Result<&encryption::KeyProviderBlock, ConfigError> {
        self.encryption.key_providers.get(address).ok_or_else(|| {
            let known = listed(self.key_providers());
            ConfigError::new(format!(
                "{} has no {address}; it has {known}",
                self.sources.name()
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
