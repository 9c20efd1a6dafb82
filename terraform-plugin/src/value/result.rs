//! The object that opening a resource gives to the client.
//!
//! In MessagePack, not in JSON: a number that was configured comes back with all
//! its digits, and an unknown value can be said.

use serde_json::{Map, Value as Json};

use super::config::Config;
use super::convert::from_json;
use crate::proto::tfplugin6::DynamicValue;
use crate::resources::Attribute;

/// An unknown value without anything known about it: in the bytes that go-cty has for
/// it, an extension of type 0 with one zero.
fn unknown() -> rmpv::Value {
    rmpv::Value::Ext(0, vec![0])
}

/// What is wrong with the values that a program gave.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResultError {
    #[error("`{0}` is not of the type that its schema says")]
    WrongType(String),
    #[error("`{0}` is not a computed attribute of its schema")]
    NotComputed(String),
    #[error("the values do not fit into a message")]
    Encoding,
}

/// Every attribute: what is configured as it came, what is computed from `values`,
/// the rest null.
///
/// # Errors
///
/// When `values` does not agree with the schema.
pub(crate) fn opened(
    attributes: &[Attribute],
    config: &Config,
    values: &Map<String, Json>,
) -> Result<DynamicValue, ResultError> {
    let is_computed = |name: &str| attributes.iter().any(|a| a.computed && a.name == name);
    if let Some(name) = values.keys().find(|name| !is_computed(name)) {
        return Err(ResultError::NotComputed(name.clone()));
    }
    object(attributes, |attribute| {
        let configured = config.as_sent(&attribute.name);
        match values.get(&attribute.name) {
            Some(value) if configured.is_nil() => from_json(value, attribute.kind)
                .ok_or_else(|| ResultError::WrongType(attribute.name.clone())),
            _ => Ok(configured),
        }
    })
}

/// The object of a deferred resource: all that is not configured is unknown.
///
/// # Errors
///
/// When it cannot be encoded.
pub(crate) fn undecided(
    attributes: &[Attribute],
    config: &Config,
) -> Result<DynamicValue, ResultError> {
    object(attributes, |attribute| {
        let configured = config.as_sent(&attribute.name);
        let open = attribute.computed && configured.is_nil();
        Ok(if open { unknown() } else { configured })
    })
}

fn object(
    attributes: &[Attribute],
    value: impl Fn(&Attribute) -> Result<rmpv::Value, ResultError>,
) -> Result<DynamicValue, ResultError> {
    let entry = |a: &Attribute| Ok((a.name.as_str().into(), value(a)?));
    let entries: Vec<_> = attributes.iter().map(entry).collect::<Result<_, _>>()?;
    let mut msgpack = Vec::new();
    rmpv::encode::write_value(&mut msgpack, &rmpv::Value::Map(entries))
        .map_err(|_| ResultError::Encoding)?;
    Ok(DynamicValue {
        msgpack,
        json: Vec::new(),
    })
}
