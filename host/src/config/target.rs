//! What is encrypted, and the methods for it: `state`, `plan`, and the remote
//! states that data sources read.

use std::fmt;

use super::Config;
use super::encryption::{Encryption, TargetBlock};
use super::method::Method;
use super::source::ConfigError;

/// What a target block of an `encryption` block is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetName {
    /// `state`.
    State,
    /// `plan`.
    Plan,
    /// A remote state: `remote_state_data_source "NAME"`, or `default` where
    /// there is none of the name.
    Remote(String),
}

impl fmt::Display for TargetName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State => formatter.write_str("state"),
            Self::Plan => formatter.write_str("plan"),
            Self::Remote(name) => write!(formatter, "remote_state_data_source \"{name}\""),
        }
    }
}

/// What is encrypted, and how.
#[derive(Clone, Debug)]
pub struct Target {
    /// What it is.
    pub name: TargetName,
    /// The method that encrypts; after it, the fallbacks that may decrypt, too.
    /// There is always one.
    pub methods: Vec<NamedMethod>,
    /// Whether the target must be encrypted. Then no method is
    /// [`Method::Unencrypted`].
    pub enforced: bool,
}

/// A method and what it is called.
#[derive(Clone, Debug)]
pub struct NamedMethod {
    /// `method.TYPE.NAME`.
    pub address: String,
    /// What it does.
    pub method: Method,
}

fn block<'a>(encryption: &'a Encryption, name: &TargetName) -> Option<&'a TargetBlock> {
    match name {
        TargetName::State => encryption.state.as_ref(),
        TargetName::Plan => encryption.plan.as_ref(),
        TargetName::Remote(name) => {
            let named = encryption.remote.named.get(name);
            named.or(encryption.remote.default.as_ref())
        }
    }
}

impl Config {
    /// Whether a target is configured.
    pub fn has_target(&self, name: &TargetName) -> bool {
        block(&self.encryption, name).is_some()
    }

    /// The methods of a target.
    ///
    /// # Errors
    /// [`ConfigError`] where the target is not configured, or a method is
    /// missing or wrong.
    pub fn target(&self, name: &TargetName) -> Result<Target, ConfigError> {
        let Some(first) = block(&self.encryption, name) else {
            let message = format!(
                "{} has no {name} block in an encryption block",
                self.sources.name()
            );
            return Err(ConfigError::new(message));
        };
        let mut methods = Vec::new();
        let mut next: Option<&TargetBlock> = Some(first);
        while let Some(block) = next {
            let named = self.method(block)?;
            if first.enforced && matches!(named.method, Method::Unencrypted) {
                let span = block
                    .method
                    .as_ref()
                    .map_or(&block.span, |value| &value.span);
                let message = format!(
                    "the {name} target is enforced, so {} cannot stand here: remove one of the two",
                    named.address
                );
                return Err(self.sources.error(span, message));
            }
            methods.push(named);
            next = block.fallback.as_deref();
        }
        Ok(Target {
            name: name.clone(),
            methods,
            enforced: first.enforced,
        })
    }

    fn method(&self, target: &TargetBlock) -> Result<NamedMethod, ConfigError> {
        let (address, block) = target.method(&self.sources, &self.encryption)?;
        let decoder = self.decoder(address.clone(), &block.span);
        let method = Method::decode(block, &decoder)?;
        if let Some(provider) = method.key_provider()
            && !self.encryption.key_providers.contains_key(provider)
        {
            let keys = block.attribute("keys");
            let span = keys.map_or(&block.span, |keys| &keys.value.span);
            return Err(self.sources.error(span, format!("there is no {provider}")));
        }
        Ok(NamedMethod { address, method })
    }
}

#[cfg(test)]
mod tests;
