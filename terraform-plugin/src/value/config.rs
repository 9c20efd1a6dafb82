//! A resource's configuration, as the client sends it.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::convert::{from_json, to_json};
use crate::proto::tfplugin6::DynamicValue;
use crate::resources::Attribute;

/// Why a configuration cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("the configuration is neither MessagePack nor JSON")]
    Malformed,
    #[error("the configuration is not an object")]
    NotAnObject,
    #[error("attribute `{0}` is not of its type")]
    WrongType(String),
}

/// The attributes of a configuration, as they came: what is configured has to come
/// back unchanged in the result.
pub(crate) struct Config {
    values: HashMap<String, rmpv::Value>,
    json: Map<String, Json>,
    unknown: Vec<String>,
}

impl Config {
    /// # Errors
    ///
    /// When it is not an object of attributes of their types.
    pub(crate) fn decode(
        value: Option<&DynamicValue>,
        attributes: &[Attribute],
    ) -> Result<Self, DecodeError> {
        let mut values = match value {
            Some(value) if !value.msgpack.is_empty() => from_msgpack(&value.msgpack, attributes)?,
            Some(value) if !value.json.is_empty() => from_json_text(&value.json, attributes)?,
            _ => return Err(DecodeError::Malformed),
        };
        let mut json = Map::new();
        let mut unknown = Vec::new();
        for attribute in attributes {
            let name = &attribute.name;
            let value = values.entry(name.clone()).or_insert(rmpv::Value::Nil);
            if is_unknown(value) {
                unknown.push(name.clone());
            } else if !value.is_nil() {
                let known = to_json(value, attribute.kind)
                    .ok_or_else(|| DecodeError::WrongType(name.clone()))?;
                json.insert(name.clone(), known);
            }
        }
        Ok(Self {
            values,
            json,
            unknown,
        })
    }

    /// The attributes that are set and known.
    pub(crate) fn known(&self) -> &Map<String, Json> {
        &self.json
    }

    /// The attributes whose value will be known only after another change.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// The attribute's value as it came, null if it is not set.
    pub(super) fn as_sent(&self, name: &str) -> rmpv::Value {
        self.values.get(name).cloned().unwrap_or(rmpv::Value::Nil)
    }
}

fn from_msgpack(
    mut bytes: &[u8],
    attributes: &[Attribute],
) -> Result<HashMap<String, rmpv::Value>, DecodeError> {
    let value = rmpv::decode::read_value(&mut bytes).map_err(|_| DecodeError::Malformed)?;
    if !bytes.is_empty() {
        return Err(DecodeError::Malformed);
    }
    if matches!(value, rmpv::Value::Ext(..)) {
        let all = attributes.iter();
        return Ok(all.map(|a| (a.name.clone(), value.clone())).collect());
    }
    let rmpv::Value::Map(entries) = value else {
        return Err(DecodeError::NotAnObject);
    };
    let entry = |(name, value): (rmpv::Value, rmpv::Value)| {
        let name = name.as_str().ok_or(DecodeError::NotAnObject)?;
        Ok((name.to_owned(), value))
    };
    entries.into_iter().map(entry).collect()
}

fn from_json_text(
    text: &[u8],
    attributes: &[Attribute],
) -> Result<HashMap<String, rmpv::Value>, DecodeError> {
    let Json::Object(object) = serde_json::from_slice(text).map_err(|_| DecodeError::Malformed)?
    else {
        return Err(DecodeError::NotAnObject);
    };
    let given = attributes
        .iter()
        .filter_map(|attribute| Some((attribute, object.get(&attribute.name)?)));
    given
        .map(|(attribute, value)| {
            let name = attribute.name.clone();
            match from_json(value, attribute.kind) {
                Some(value) => Ok((name, value)),
                None => Err(DecodeError::WrongType(name)),
            }
        })
        .collect()
}

/// Any extension stands for an unknown value, with or without what is known about
/// it. One unknown element makes the attribute unknown.
fn is_unknown(value: &rmpv::Value) -> bool {
    match value {
        rmpv::Value::Ext(..) => true,
        rmpv::Value::Array(elements) => elements.iter().any(is_unknown),
        rmpv::Value::Map(entries) => entries.iter().any(|(_, value)| is_unknown(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
