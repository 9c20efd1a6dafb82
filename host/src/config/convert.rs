//! HCL's conversions between types: number and text where nothing is lost.

use hcl::{Number, Value};
use serde_json::Value as Json;

use super::evaluate::type_of;
use crate::descriptor::AttributeType;

/// Whole numbers beyond this are not exact in 64-bit floats.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts a value to a type, or says what it is instead.
pub(super) fn convert(value: &Value, wanted: AttributeType) -> Result<Json, &'static str> {
    let mismatch = type_of(value);
    match wanted {
        AttributeType::String => text(value).map(Json::String).ok_or(mismatch),
        AttributeType::Number => match value {
            Value::Number(number) => json_number(number).ok_or("a number out of range"),
            Value::String(text) => parse_number(text).ok_or("a text that is no number"),
            _ => Err(mismatch),
        },
        AttributeType::Bool => match value {
            Value::Bool(flag) => Ok(Json::Bool(*flag)),
            Value::String(text) => text.parse().map(Json::Bool).map_err(|_| "a string"),
            _ => Err(mismatch),
        },
        AttributeType::ListOfString => match value {
            Value::Array(elements) => {
                let texts = elements
                    .iter()
                    .map(|element| text(element).map(Json::String));
                let texts = texts.collect::<Option<_>>();
                texts.map(Json::Array).ok_or("a list with other elements")
            }
            _ => Err(mismatch),
        },
        AttributeType::MapOfString => match value {
            Value::Object(fields) => {
                let texts = fields
                    .iter()
                    .map(|(name, field)| Some((name.clone(), Json::String(text(field)?))));
                let texts = texts.collect::<Option<_>>();
                texts.map(Json::Object).ok_or("an object with other values")
            }
            _ => Err(mismatch),
        },
        AttributeType::Key => Err(mismatch),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(json_number(number)?.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// `1e6` is the whole number 1000000.
fn json_number(number: &Number) -> Option<Json> {
    if let Some(whole) = number.as_i64() {
        return Some(whole.into());
    }
    if let Some(whole) = number.as_u64() {
        return Some(whole.into());
    }
    let float = number.as_f64()?;
    if float.fract() == 0.0 && float.abs() <= LARGEST_EXACT {
        #[allow(clippy::cast_possible_truncation)]
        return Some((float as i64).into());
    }
    serde_json::Number::from_f64(float).map(Json::Number)
}

fn parse_number(text: &str) -> Option<Json> {
    let whole = text.parse::<i64>().map(Number::from);
    let number = whole
        .ok()
        .or_else(|| Number::from_f64(text.parse().ok()?))?;
    json_number(&number)
}

#[cfg(test)]
mod tests {
    use hcl::{Value, value};
    use serde_json::json;

    use super::convert;
    use crate::descriptor::AttributeType::{Bool, ListOfString, MapOfString, Number, String};

    #[test]
    fn converts_where_nothing_is_lost() {
        for (value, wanted, expected) in [
            (
                value!(1234567890123456_i64),
                String,
                json!("1234567890123456"),
            ),
            (value!(true), String, json!("true")),
            (value!("200000"), Number, json!(200_000)),
            (value!(1e6), Number, json!(1_000_000)),
            (value!(200000.5), Number, json!(200_000.5)),
            (value!("true"), Bool, json!(true)),
            (value!(["a", 1]), ListOfString, json!(["a", "1"])),
            (value!({ "a" = 1 }), MapOfString, json!({ "a": "1" })),
        ] {
            assert_eq!(convert(&value, wanted), Ok(expected));
        }
    }

    #[test]
    fn refuses_the_rest() {
        for (value, wanted) in [
            (Value::Null, String),
            (value!(["a"]), String),
            (value!("x"), Number),
            (value!("inf"), Number),
            (value!(true), Number),
            (value!(1), Bool),
            (value!("yes"), Bool),
            (value!([["a"]]), ListOfString),
            (value!("a"), MapOfString),
        ] {
            assert!(convert(&value, wanted).is_err(), "{value} to {wanted}");
        }
    }
}
