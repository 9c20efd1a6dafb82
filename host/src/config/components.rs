//! `component` blocks: which files run, and under which rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hcl::Value;

use super::document::{Attribute, Block, Body};
use super::evaluate::Scope;
use super::source::{ConfigError, Span};
use super::sources::Sources;
use crate::descriptor::is_name;
use crate::digest::Digest;
use crate::grants::Grants;
use crate::limits::{Limit, Limits, Unit};

/// A component, as the operator configured it.
#[derive(Clone, Debug)]
pub struct ComponentConfig {
    /// Its type: the first label of the blocks that use it.
    pub name: String,
    /// The file, relative to the configuration file's directory or absolute.
    pub path: PathBuf,
    /// The pin. Without one the component does not run.
    pub sha256: Option<Digest>,
    /// What it may do.
    pub grants: Grants,
    /// Its limits.
    pub limits: Limits,
    pub(super) span: Span,
}

/// Reads every `component` block.
pub(super) fn components(
    sources: &Sources,
    body: &Body,
    directory: &Path,
    scope: &Scope,
) -> Result<BTreeMap<String, ComponentConfig>, ConfigError> {
    let reader = Reader { sources, scope };
    let mut components = BTreeMap::new();
    for block in body.blocks("component") {
        let component = reader.component(block, directory)?;
        let name = component.name.clone();
        if components.insert(name.clone(), component).is_some() {
            let message = format!("the component \"{name}\" is configured twice");
            return Err(sources.error(&block.span, message));
        }
    }
    Ok(components)
}

struct Reader<'a> {
    sources: &'a Sources,
    scope: &'a Scope,
}

impl Reader<'_> {
    fn component(&self, block: &Block, directory: &Path) -> Result<ComponentConfig, ConfigError> {
        let name = block.labels.concat();
        if !is_name(&name) {
            let message =
                format!("a component's type is made of letters, digits, _ and -, not \"{name}\"");
            return Err(self.sources.error(&block.span, message));
        }
        let Some(path) = block.body.attribute("path") else {
            let message = format!("the component \"{name}\" has no path");
            return Err(self.sources.error(&block.span, message));
        };
        let sha256 = match block.body.attribute("sha256") {
            None => None,
            Some(attribute) => self.digest(attribute)?,
        };
        Ok(ComponentConfig {
            path: directory.join(self.text(path)?),
            sha256,
            grants: self.grants(block)?,
            limits: self.limits(block)?,
            span: block.span.clone(),
            name,
        })
    }

    fn text(&self, attribute: &Attribute) -> Result<String, ConfigError> {
        match self.scope.evaluate(self.sources, &attribute.value)? {
            Value::String(text) => Ok(text),
            _ => Err(self.error(attribute, format!("{} takes a string", attribute.name))),
        }
    }

    /// An empty text stands for a pin that is still to be written.
    fn digest(&self, attribute: &Attribute) -> Result<Option<Digest>, ConfigError> {
        let text = self.text(attribute)?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse()
            .map(Some)
            .map_err(|error| self.error(attribute, format!("{error}; `keyhost pin` writes it")))
    }

    fn grants(&self, component: &Block) -> Result<Grants, ConfigError> {
        let mut grants = Grants::default();
        for attribute in inner(component, "grants") {
            let place = match attribute.name.as_str() {
                "reveal" => &mut grants.reveal,
                "storage" => &mut grants.storage,
                other => {
                    let known = Grants::NAMES.join(", ");
                    let message = format!("there is no grant \"{other}\", only {known}");
                    return Err(self.error(attribute, message));
                }
            };
            *place = match self.scope.evaluate(self.sources, &attribute.value)? {
                Value::Bool(granted) => granted,
                _ => {
                    let message = format!("the grant {} takes true or false", attribute.name);
                    return Err(self.error(attribute, message));
                }
            };
        }
        Ok(grants)
    }

    fn limits(&self, component: &Block) -> Result<Limits, ConfigError> {
        let mut limits = Limits::default();
        for attribute in inner(component, "limits") {
            let named = Limit::ALL
                .into_iter()
                .find(|limit| limit.name() == attribute.name);
            let Some(limit) = named else {
                let known = Limit::ALL.map(Limit::name).join(", ");
                let message = format!("there is no limit \"{}\", only {known}", attribute.name);
                return Err(self.error(attribute, message));
            };
            let value = self.scope.evaluate(self.sources, &attribute.value)?;
            let Some(value) = amount(&value, limit.unit()) else {
                let wanted = match limit.unit() {
                    Unit::Bytes => "bytes, such as 65536, \"64KiB\" or \"64MiB\"",
                    Unit::Milliseconds => "a time, such as \"500ms\" or \"10s\"",
                    Unit::Count => "a whole number",
                };
                let message = format!("the limit {} takes {wanted}", limit.name());
                return Err(self.error(attribute, message));
            };
            limits.set(limit, value);
        }
        Ok(limits)
    }

    /// Nothing in a component block is secret.
    fn error(&self, attribute: &Attribute, message: String) -> ConfigError {
        self.sources
            .error_showing(&attribute.span, &attribute.value.span, message)
    }
}

fn inner<'a>(component: &'a Block, name: &'a str) -> impl Iterator<Item = &'a Attribute> {
    component
        .body
        .blocks(name)
        .flat_map(|block| &block.body.attributes)
}

/// The suffixes of amounts, and what they multiply by.
const BYTES: [(&str, u64); 4] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("B", 1),
];
const MILLISECONDS: [(&str, u64); 3] = [("ms", 1), ("s", 1_000), ("m", 60_000)];

/// An amount, greater than zero, in the limit's unit.
fn amount(value: &Value, unit: Unit) -> Option<u64> {
    let suffixes: &[(&str, u64)] = match unit {
        Unit::Bytes => &BYTES,
        Unit::Milliseconds => &MILLISECONDS,
        Unit::Count => &[],
    };
    let amount = match value {
        Value::Number(number) => number.as_u64()?,
        Value::String(text) => suffixes.iter().find_map(|(suffix, factor)| {
            let number: u64 = text.strip_suffix(suffix)?.trim().parse().ok()?;
            number.checked_mul(*factor)
        })?,
        _ => return None,
    };
    (amount > 0).then_some(amount)
}

#[cfg(test)]
mod tests {
    use hcl::value;

    use super::{Unit, amount};

    #[test]
    fn reads_amounts_with_their_units() {
        assert_eq!(amount(&value!("32MiB"), Unit::Bytes), Some(32 << 20));
        assert_eq!(amount(&value!("7 B"), Unit::Bytes), Some(7));
        assert_eq!(amount(&value!("10s"), Unit::Milliseconds), Some(10_000));
        assert_eq!(amount(&value!("500ms"), Unit::Milliseconds), Some(500));
        assert_eq!(amount(&value!(5), Unit::Count), Some(5));
        for text in [
            "",
            "MiB",
            "-1KiB",
            "1.5MiB",
            "99999999999GiB",
            "0KiB",
            "10s",
        ] {
            assert_eq!(amount(&value!(text), Unit::Bytes), None, "{text}");
        }
        assert_eq!(amount(&value!(0), Unit::Count), None);
    }
}
