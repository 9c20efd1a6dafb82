//! OpenTofu's `encryption` block: key providers, methods, and what is encrypted
//! with them.

use std::collections::BTreeMap;

use hcl::Value;

use super::document::{Attribute, Block, Body, Expression};
use super::evaluate::Scope;
use super::reference::{self, Address};
use super::source::{ConfigError, Source, Span};
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

/// A `state`, `plan` or `fallback` block.
#[derive(Debug)]
pub(super) struct TargetBlock {
    pub(super) method: Option<Expression>,
    pub(super) fallback: Option<Box<TargetBlock>>,
    pub(super) span: Span,
}

/// The whole block.
#[derive(Debug, Default)]
pub(super) struct Encryption {
    pub(super) key_providers: BTreeMap<Address, KeyProviderBlock>,
    /// By address: `method.TYPE.NAME`.
    pub(super) methods: BTreeMap<String, MethodBlock>,
    pub(super) state: Option<TargetBlock>,
}

/// Finds the block, at the top or in a `terraform` block, and reads it.
pub(super) fn encryption(source: &Source, body: &Body) -> Result<Encryption, ConfigError> {
    let inside = body
        .blocks("terraform")
        .flat_map(|block| block.body.blocks("encryption"));
    let mut found = body.blocks("encryption").chain(inside);
    let Some(block) = found.next() else {
        return Ok(Encryption::default());
    };
    if let Some(second) = found.next() {
        return Err(source.error(&second.span, "only one encryption block is allowed"));
    }
    let mut encryption = Encryption::default();
    for block in block.body.blocks("key_provider") {
        let (address, provider) = key_provider(source, block)?;
        let duplicate = format!("{address} is configured twice");
        if encryption.key_providers.insert(address, provider).is_some() {
            return Err(source.error(&block.span, duplicate));
        }
    }
    for block in block.body.blocks("method") {
        let (kind, name) = labels(source, block, "method")?;
        let address = format!("method.{kind}.{name}");
        let method = MethodBlock {
            kind: kind.to_owned(),
            attributes: block.body.attributes.clone(),
            span: block.span.clone(),
        };
        let duplicate = format!("{address} is configured twice");
        if encryption.methods.insert(address, method).is_some() {
            return Err(source.error(&block.span, duplicate));
        }
    }
    for name in ["state", "plan"] {
        for block in block.body.blocks(name) {
            enforced(source, block)?;
        }
    }
    encryption.state = block.body.blocks("state").next().map(target);
    Ok(encryption)
}

fn labels<'a>(
    source: &Source,
    block: &'a Block,
    what: &str,
) -> Result<(&'a str, &'a str), ConfigError> {
    for (label, part) in block.labels.iter().zip(["type", "name"]) {
        if !is_name(label) {
            let message = format!(
                "the {part} of a {what} is made of letters, digits, _ and -, not \"{label}\""
            );
            return Err(source.error(&block.span, message));
        }
    }
    match block.labels.as_slice() {
        [kind, name] => Ok((kind, name)),
        _ => Err(source.error(&block.span, format!("a {what} block has two labels"))),
    }
}

fn key_provider(
    source: &Source,
    block: &Block,
) -> Result<(Address, KeyProviderBlock), ConfigError> {
    let (kind, name) = labels(source, block, "key provider")?;
    let Some(address) = Address::new(kind, name) else {
        return Err(source.error(&block.span, reference::ParseAddressError.to_string()));
    };
    let alias = block.body.attribute(METADATA_ALIAS_ATTRIBUTE);
    let alias = match alias {
        None => String::new(),
        Some(attribute) => alias_text(source, attribute)?,
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
fn alias_text(source: &Source, attribute: &Attribute) -> Result<String, ConfigError> {
    let expression = &attribute.value.expression;
    let text = expression.as_str().map(str::to_owned);
    text.or_else(|| expression.as_number().map(ToString::to_string))
        .ok_or_else(|| {
            let message = format!("{METADATA_ALIAS_ATTRIBUTE} takes a text without variables");
            source.error(&attribute.span, message)
        })
}

fn enforced(source: &Source, block: &Block) -> Result<(), ConfigError> {
    match block.body.attribute("enforced") {
        Some(attribute) if attribute.value.expression.as_bool().is_none() => {
            Err(source.error(&attribute.span, "enforced takes true or false"))
        }
        _ => Ok(()),
    }
}

fn target(block: &Block) -> TargetBlock {
    let fallback = block.body.blocks("fallback").next();
    TargetBlock {
        method: block
            .body
            .attribute("method")
            .map(|attribute| attribute.value.clone()),
        fallback: fallback.map(|block| Box::new(target(block))),
        span: block.span.clone(),
    }
}

impl TargetBlock {
    /// The method that the block names.
    pub(super) fn method<'a>(
        &self,
        source: &Source,
        encryption: &'a Encryption,
    ) -> Result<(String, &'a MethodBlock), ConfigError> {
        let Some(value) = &self.method else {
            return Err(source.error(&self.span, "the method is missing"));
        };
        let wanted = "a reference to a method is needed here: method.TYPE.NAME";
        let path = reference::path(value).filter(|path| path.len() == 3 && path[0] == "method");
        let address = path
            .map(|path| path.join("."))
            .ok_or_else(|| source.error(&value.span, wanted))?;
        match encryption.methods.get(&address) {
            Some(method) => Ok((address, method)),
            None => Err(source.error(&value.span, format!("there is no {address}"))),
        }
    }
}

/// The bytes of a list of numbers, such as `[1, 2, 255]`.
pub(super) fn bytes(
    source: &Source,
    scope: &Scope,
    value: &Expression,
) -> Result<Option<Vec<u8>>, ConfigError> {
    match scope.evaluate(source, value)? {
        Value::Null => Ok(None),
        evaluated => byte_list(&evaluated).map(Some).ok_or_else(|| {
            source.error(
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
