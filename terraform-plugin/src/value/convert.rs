//! Between JSON and MessagePack, by the type of the attribute.
//!
//! Source of the encoding: Terraform's `object-wire-format.md`. Numbers that no
//! binary number holds exactly travel as decimal strings.

use serde_json::{Map, Number, Value as Json};

use crate::resources::AttributeType;

/// A known value as JSON; `None` if it is not of that type.
pub(super) fn to_json(value: &rmpv::Value, kind: AttributeType) -> Option<Json> {
    match (kind, value) {
        (AttributeType::String, _) => string(value),
        (AttributeType::Bool, rmpv::Value::Boolean(value)) => Some(Json::Bool(*value)),
        (AttributeType::Number, _) => number(value).map(Json::Number),
        (AttributeType::ListOfString, rmpv::Value::Array(elements)) => {
            elements.iter().map(string_or_null).collect()
        }
        (AttributeType::MapOfString, rmpv::Value::Map(entries)) => {
            let entry = |(key, value): &(rmpv::Value, rmpv::Value)| {
                Some((key.as_str()?.to_owned(), string_or_null(value)?))
            };
            let entries: Option<Map<_, _>> = entries.iter().map(entry).collect();
            entries.map(Json::Object)
        }
        _ => None,
    }
}

fn string(value: &rmpv::Value) -> Option<Json> {
    value.as_str().map(Json::from)
}

fn string_or_null(value: &rmpv::Value) -> Option<Json> {
    if value.is_nil() {
        return Some(Json::Null);
    }
    string(value)
}

fn number(value: &rmpv::Value) -> Option<Number> {
    match value {
        rmpv::Value::Integer(integer) => integer
            .as_u64()
            .map(Number::from)
            .or_else(|| integer.as_i64().map(Number::from)),
        rmpv::Value::F32(float) => Number::from_f64((*float).into()),
        rmpv::Value::F64(float) => Number::from_f64(*float),
        // Exactly if it fits, else the nearest: JSON numbers end there.
        rmpv::Value::String(decimal) => {
            let decimal = decimal.as_str()?;
            let integer = decimal.parse::<i64>().map(Number::from);
            integer
                .ok()
                .or_else(|| decimal.parse().ok().and_then(Number::from_f64))
        }
        _ => None,
    }
}

/// A value for the wire; `None` if it is not of that type. Null is of every type.
pub(super) fn from_json(value: &Json, kind: AttributeType) -> Option<rmpv::Value> {
    match (kind, value) {
        (_, Json::Null) => Some(rmpv::Value::Nil),
        (AttributeType::String, Json::String(value)) => Some(value.as_str().into()),
        (AttributeType::Bool, Json::Bool(value)) => Some((*value).into()),
        (AttributeType::Number, Json::Number(number)) => {
            let integer = number.as_u64().map(rmpv::Value::from);
            integer
                .or_else(|| number.as_i64().map(rmpv::Value::from))
                .or_else(|| number.as_f64().map(rmpv::Value::from))
        }
        (AttributeType::ListOfString, Json::Array(elements)) => {
            let elements: Option<Vec<_>> = elements.iter().map(element).collect();
            elements.map(rmpv::Value::Array)
        }
        (AttributeType::MapOfString, Json::Object(entries)) => {
            let entry =
                |(key, value): (&String, &Json)| Some((key.as_str().into(), element(value)?));
            let entries: Option<Vec<_>> = entries.iter().map(entry).collect();
            entries.map(rmpv::Value::Map)
        }
        _ => None,
    }
}

fn element(value: &Json) -> Option<rmpv::Value> {
    from_json(value, AttributeType::String)
}
