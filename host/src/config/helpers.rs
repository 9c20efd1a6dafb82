//! `credentials_helper` blocks.

use std::collections::BTreeMap;

use super::components::ComponentConfig;
use super::decode::Decoded;
use super::document::{Body, DeclaredBlock};
use super::source::ConfigError;
use super::sources::Sources;
use super::{Config, listed};
use crate::descriptor::{Descriptor, is_name};

/// Reads every block, by type.
pub(super) fn helpers(
    sources: &Sources,
    body: &Body,
) -> Result<BTreeMap<String, DeclaredBlock>, ConfigError> {
    let mut helpers = BTreeMap::new();
    for block in body.blocks("credentials_helper") {
        let kind = block.labels.concat();
        if !is_name(&kind) {
            let message = format!(
                "the type of a credentials helper is made of letters, digits, _ and -, not \"{kind}\""
            );
            return Err(sources.error(&block.span, message));
        }
        let duplicate = format!("credentials_helper \"{kind}\" is configured twice");
        if helpers.insert(kind, block.into()).is_some() {
            return Err(sources.error(&block.span, duplicate));
        }
    }
    Ok(helpers)
}

impl Config {
    /// The types of all configured credentials helpers.
    pub fn credentials_helpers(&self) -> impl Iterator<Item = &str> {
        self.helpers.keys().map(String::as_str)
    }

    /// The component of a credentials helper.
    ///
    /// # Errors
    /// [`ConfigError`] where no such helper is configured, or its component is
    /// missing or not pinned.
    pub fn credentials_component(&self, kind: &str) -> Result<&ComponentConfig, ConfigError> {
        let block = self.helper(kind)?;
        self.component_of(&format!("credentials_helper \"{kind}\""), kind, &block.span)
    }

    /// Decodes a credentials helper's block by what its component declares.
    ///
    /// # Errors
    /// [`ConfigError`], as for [`Config::decode`].
    pub fn decode_credentials_helper(
        &self,
        kind: &str,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let decoded = self.decode_credentials_helper_alone(kind, descriptor)?;
        let block = self.helper(kind)?;
        self.check_references(&decoded, &block.attributes, &block.span)?;
        Ok(decoded)
    }

    /// As [`Config::decode_credentials_helper`], whatever references refer to.
    ///
    /// # Errors
    /// [`ConfigError`], as for [`Config::decode_alone`].
    pub fn decode_credentials_helper_alone(
        &self,
        kind: &str,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let block = self.helper(kind)?;
        let name = format!("credentials_helper \"{kind}\"");
        let decoder = self.decoder(name, &block.span);
        decoder.decode(&block.attributes, descriptor)
    }

    fn helper(&self, kind: &str) -> Result<&DeclaredBlock, ConfigError> {
        self.helpers.get(kind).ok_or_else(|| {
            let known = listed(self.credentials_helpers());
            ConfigError::new(format!(
                "{} has no credentials_helper \"{kind}\"; it has {known}",
                self.sources.name()
            ))
        })
    }
}
