//! OpenTofu's `encryption` block: key providers, methods, and what is encrypted
//! with them.

use std::collections::BTreeMap;

use hcl::Value;

use super::document::{Attribute, Block, Body, Expression};
use super::evaluate::Scope;
use super::reference::{self, Address};
use super::source::{ConfigError, Span};
use super::sources::Sources;
use crate::descriptor::{METADATA_ALIAS_ATTRIBUTE, is_name};

/// A `key_provider` block, not yet decoded.
#[derive(Debug)]
pub(crate) struct KeyProviderBlock {
    pub(super) attributes: Vec<Attribute>,
    pub(super) span: Span,
    /// The key under which its metadata is stored: alias, or address.
    pub(crate) metadata_key: String,
}

/// A `method` block, not yet decoded.
#[derive(Debug)]
pub(super) struct MethodBlock {
    pub(super) kind: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) span: Span,
}

impl MethodBlock {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        let mut attributes = self.attributes.iter();
        attributes.find(|attribute| attribute.name == name)
    }
}

/// A `state`, `plan` or `fallback` block.
#[derive(Debug)]
pub(super) struct TargetBlock {
    pub(super) method: Option<Expression>,
    pub(super) fallback: Option<Box<TargetBlock>>,
    pub(super) enforced: bool,
    pub(super) span: Span,
}

/// The whole block.
#[derive(Debug, Default)]
pub(super) struct Encryption {
    pub(super) key_providers: BTreeMap<Address, KeyProviderBlock>,
    /// By address: `method.TYPE.NAME`.
    pub(super) methods: BTreeMap<String, MethodBlock>,
    pub(super) state: Option<TargetBlock>,
    pub(super) plan: Option<TargetBlock>,
    pub(super) remote: RemoteTargets,
}

/// The `remote_state_data_sources` block.
#[derive(Debug, Default)]
pub(super) struct RemoteTargets {
    pub(super) default: Option<TargetBlock>,
    pub(super) named: BTreeMap<String, TargetBlock>,
}

/// Reads the block.
pub(super) fn encryption(sources: &Sources, body: &Body) -> Result<Encryption, ConfigError> {
    let mut found = body.blocks("encryption");
    let Some(block) = found.next() else {
        return Ok(Encryption::default());
    };
    if let Some(second) = found.next() {
        return Err(sources.error(&second.span, "only one encryption block is allowed"));
    }
    let mut encryption = Encryption::default();
    for block in block.body.blocks("key_provider") {
        let (address, provider) = key_provider(sources, block)?;
        let duplicate = format!("{address} is configured twice");
        if encryption.key_providers.insert(address, provider).is_some() {
            return Err(sources.error(&block.span, duplicate));
        }
    }
    for block in block.body.blocks("method") {
        let (kind, name) = labels(sources, block, "method")?;
        let address = format!("method.{kind}.{name}");
        let method = MethodBlock {
            kind: kind.to_owned(),
            attributes: block.body.attributes.clone(),
            span: block.span.clone(),
        };
        let duplicate = format!("{address} is configured twice");
        if encryption.methods.insert(address, method).is_some() {
            return Err(sources.error(&block.span, duplicate));
        }
    }
    for (name, place) in [
        ("state", &mut encryption.state),
        ("plan", &mut encryption.plan),
    ] {
        if let Some(block) = block.body.blocks(name).next() {
            *place = Some(target(sources, block)?);
        }
    }
    for block in block.body.blocks("remote_state_data_sources") {
        encryption.remote = remote(sources, block)?;
    }
    Ok(encryption)
}

fn remote(sources: &Sources, block: &Block) -> Result<RemoteTargets, ConfigError> {
    let mut targets = RemoteTargets::default();
    if let Some(block) = block.body.blocks("default").next() {
        targets.default = Some(target(sources, block)?);
    }
    for block in block.body.blocks("remote_state_data_source") {
        let name = block.labels.concat();
        let duplicate = format!("remote_state_data_source \"{name}\" is configured twice");
        if targets
            .named
            .insert(name, target(sources, block)?)
            .is_some()
        {
            return Err(sources.error(&block.span, duplicate));
        }
    }
    Ok(targets)
}

fn labels<'a>(
    sources: &Sources,
    block: &'a Block,
    what: &str,
) -> Result<(&'a str, &'a str), ConfigError> {
    for (label, part) in block.labels.iter().zip(["type", "name"]) {
        if !is_name(label) {
            let message = format!(
                "the {part} of a {what} is made of letters, digits, _ and -, not \"{label}\""
            );
            return Err(sources.error(&block.span, message));
        }
    }
    match block.labels.as_slice() {
        [kind, name] => Ok((kind, name)),
        _ => Err(sources.error(&block.span, format!("a {what} block has two labels"))),
    }
}

fn key_provider(
    sources: &Sources,
    block: &Block,
) -> Result<(Address, KeyProviderBlock), ConfigError> {
    let (kind, name) = labels(sources, block, "key provider")?;
    let Some(address) = Address::new(kind, name) else {
        return Err(sources.error(&block.span, reference::ParseAddressError.to_string()));
    };
    let alias = block.body.attribute(METADATA_ALIAS_ATTRIBUTE);
    let alias = match alias {
        None => String::new(),
        Some(attribute) => alias_text(sources, attribute)?,
    };
    let attributes = block.body.attributes.iter();
    let attributes = attributes.filter(|attribute| attribute.name != METADATA_ALIAS_ATTRIBUTE);
    let provider = KeyProviderBlock {
        attributes: attributes.cloned().collect(),
        span: block.span.clone(),
        metadata_key: if alias.is_empty() {
            address.to_string()
        } else {
            alias
        },
    };
    Ok((address, provider))
}

/// The alias is part of the stored data's names: a constant.
fn alias_text(sources: &Sources, attribute: &Attribute) -> Result<String, ConfigError> {
    let expression = &attribute.value.expression;
    let text = expression.as_str().map(str::to_owned);
    text.or_else(|| expression.as_number().map(ToString::to_string))
        .ok_or_else(|| {
            let message = format!("{METADATA_ALIAS_ATTRIBUTE} takes a text without variables");
            sources.error(&attribute.span, message)
        })
}

fn target(sources: &Sources, block: &Block) -> Result<TargetBlock, ConfigError> {
    let enforced = match block.body.attribute("enforced") {
        None => false,
        Some(attribute) => attribute
            .value
            .expression
            .as_bool()
            .ok_or_else(|| sources.error(&attribute.span, "enforced takes true or false"))?,
    };
    let fallback = match block.body.blocks("fallback").next() {
        None => None,
        Some(block) => Some(Box::new(target(sources, block)?)),
    };
    let method = block.body.attribute("method");
    Ok(TargetBlock {
        method: method.map(|attribute| attribute.value.clone()),
        fallback,
        enforced,
        span: block.span.clone(),
    })
}

impl TargetBlock {
    /// The method that the block names.
    pub(super) fn method<'a>(
        &self,
        sources: &Sources,
        encryption: &'a Encryption,
    ) -> Result<(String, &'a MethodBlock), ConfigError> {
        let Some(value) = &self.method else {
            return Err(sources.error(&self.span, "the method is missing"));
        };
        let wanted = "a reference to a method is needed here: method.TYPE.NAME";
        let path = reference::path(value).filter(|path| path.len() == 3 && path[0] == "method");
        let address = path
            .map(|path| path.join("."))
            .ok_or_else(|| sources.error(&value.span, wanted))?;
        match encryption.methods.get(&address) {
            Some(method) => Ok((address, method)),
            None => Err(sources.error(&value.span, format!("there is no {address}"))),
        }
    }
}

/// The bytes of a list of numbers, such as `[1, 2, 255]`.
pub(super) fn bytes(
    sources: &Sources,
    scope: &Scope,
    value: &Expression,
) -> Result<Option<Vec<u8>>, ConfigError> {
    match scope.evaluate(sources, value)? {
        Value::Null => Ok(None),
        evaluated => byte_list(&evaluated).map(Some).ok_or_else(|| {
            sources.error(
                &value.span,
                "a list of bytes is needed here: whole numbers from 0 to 255",
            )
        }),
    }
}

pub(super) fn byte_list(value: &Value) -> Option<Vec<u8>> {
    let elements = value.as_array()?.iter();
    elements
        .map(|element| u8::try_from(element.as_u64()?).ok())
        .collect()
}
