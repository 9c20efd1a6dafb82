//! `ephemeral_resource` blocks.

use std::collections::BTreeMap;
use std::fmt;

use super::components::ComponentConfig;
use super::decode::Decoded;
use super::document::{Body, DeclaredBlock};
use super::source::ConfigError;
use super::sources::Sources;
use super::{Config, listed};
use crate::descriptor::{Descriptor, is_name};

/// The address of an ephemeral resource: `ephemeral_resource.TYPE.NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EphemeralAddress {
    kind: String,
    name: String,
}

impl EphemeralAddress {
    /// An address of a type and a name, both `[a-zA-Z_0-9-]+`.
    pub fn new(kind: &str, name: &str) -> Option<Self> {
        (is_name(kind) && is_name(name)).then(|| Self {
            kind: kind.to_owned(),
            name: name.to_owned(),
        })
    }

    /// The type, which is the name of a component.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The name that the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for EphemeralAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ephemeral_resource.{}.{}", self.kind, self.name)
    }
}

/// The text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address has the form ephemeral_resource.TYPE.NAME, of letters, digits, _ and -")]
pub struct ParseEphemeralAddressError;

impl std::str::FromStr for EphemeralAddress {
    type Err = ParseEphemeralAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let path: Vec<&str> = text.split('.').collect();
        match path.as_slice() {
            ["ephemeral_resource", kind, name] if is_name(kind) && is_name(name) => Ok(Self {
                kind: (*kind).to_owned(),
                name: (*name).to_owned(),
            }),
            _ => Err(ParseEphemeralAddressError),
        }
    }
}

/// Reads every block, by address.
pub(super) fn ephemeral_resources(
    sources: &Sources,
    body: &Body,
) -> Result<BTreeMap<EphemeralAddress, DeclaredBlock>, ConfigError> {
    let mut blocks = BTreeMap::new();
    for block in body.blocks("ephemeral_resource") {
        let address = format!("ephemeral_resource.{}", block.labels.join("."));
        let address: EphemeralAddress =
            address
                .parse()
                .map_err(|error: ParseEphemeralAddressError| {
                    sources.error(&block.span, error.to_string())
                })?;
        let duplicate = format!("{address} is configured twice");
        if blocks.insert(address, block.into()).is_some() {
            return Err(sources.error(&block.span, duplicate));
        }
    }
    Ok(blocks)
}

impl Config {
    /// The address of every configured ephemeral resource.
    pub fn ephemeral_resources(&self) -> impl Iterator<Item = &EphemeralAddress> {
        self.ephemeral.keys()
    }

    /// The component of an ephemeral resource.
    ///
    /// # Errors
    /// [`ConfigError`] where no such resource is configured, or its component
    /// is missing or not pinned.
    pub fn ephemeral_component(
        &self,
        address: &EphemeralAddress,
    ) -> Result<&ComponentConfig, ConfigError> {
        let block = self.ephemeral_block(address)?;
        self.component_of(&address.to_string(), address.kind(), &block.span)
    }

    /// Decodes an ephemeral resource's block by what its component declares.
    ///
    /// # Errors
    /// [`ConfigError`], as for [`Config::decode`].
    pub fn decode_ephemeral_resource(
        &self,
        address: &EphemeralAddress,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let decoded = self.decode_ephemeral_resource_alone(address, descriptor)?;
        let block = self.ephemeral_block(address)?;
        self.check_references(&decoded, &block.attributes, &block.span)?;
        Ok(decoded)
    }

    /// As [`Config::decode_ephemeral_resource`], whatever references refer to.
    ///
    /// # Errors
    /// [`ConfigError`], as for [`Config::decode_alone`].
    pub fn decode_ephemeral_resource_alone(
        &self,
        address: &EphemeralAddress,
        descriptor: &Descriptor,
    ) -> Result<Decoded, ConfigError> {
        let block = self.ephemeral_block(address)?;
        let decoder = self.decoder(address.to_string(), &block.span);
        decoder.decode(&block.attributes, descriptor)
    }

    fn ephemeral_block(&self, address: &EphemeralAddress) -> Result<&DeclaredBlock, ConfigError> {
        self.ephemeral.get(address).ok_or_else(|| {
            let known = listed(self.ephemeral.keys());
            ConfigError::new(format!(
                "{} has no {address}; it has {known}",
                self.sources.name()
            ))
        })
    }
}
