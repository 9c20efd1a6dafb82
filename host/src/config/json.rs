//! The JSON syntax: blocks are objects, labels are nested objects, and texts
//! are templates. <https://opentofu.org/docs/language/syntax/json/>

use hcl_edit::Number;
use hcl_edit::expr::{self, Object, ObjectKey, ObjectValue};
use hcl_edit::template::{Element, StringTemplate, Template};
use jsonc_parser::ast::{self, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

use super::document::{Attribute, Block, Body, Expression};
use super::layout::{BlockLayout, Layout};
use super::source::{ConfigError, Source, Span};

/// A property that is a comment.
const COMMENT: &str = "//";

pub(super) const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse(source: &Source, layout: &Layout) -> Result<Body, ConfigError> {
    let parsed = jsonc_parser::parse_to_ast(source.text(), &CollectOptions::default(), &STRICT)
        .map_err(|error| {
            let message = format!("not valid JSON: {}", error.kind());
            source.error_at(error.line_display(), error.column_display(), message)
        })?;
    match &parsed.value {
        Some(Value::Object(object)) => body(source, object, layout),
        Some(other) => Err(source.error(&span(source, other), "a JSON object is needed here")),
        None => Err(source.error(
            &(source.start..source.start),
            "not valid JSON: the text is empty",
        )),
    }
}

/// Where a part of the source stands among the configuration's texts.
fn span(source: &Source, part: &impl Ranged) -> Span {
    let range = part.range();
    source.start + range.start..source.start + range.end
}

fn body(source: &Source, object: &ast::Object<'_>, layout: &Layout) -> Result<Body, ConfigError> {
    let mut lowered = Body::default();
    for property in &object.properties {
        let name = property.name.as_str();
        if name == COMMENT {
            continue;
        }
        if let Some(block) = layout.block(name) {
            blocks(
                source,
                &property.value,
                block,
                &mut Vec::new(),
                &mut lowered.blocks,
            )?;
            continue;
        }
        if layout.skips(name) {
            continue;
        }
        if lowered.attribute(name).is_some() {
            let message = format!("the argument \"{name}\" is set twice");
            return Err(source.error(&span(source, property), message));
        }
        lowered.attributes.push(Attribute {
            name: name.to_owned(),
            span: span(source, property),
            value: Expression {
                expression: expression(source, &property.value)?,
                span: span(source, &property.value),
                from_json: true,
            },
        });
    }
    Ok(lowered)
}

/// Unfolds labels and repetitions.
fn blocks(
    source: &Source,
    value: &Value<'_>,
    layout: &BlockLayout,
    labels: &mut Vec<String>,
    found: &mut Vec<Block>,
) -> Result<(), ConfigError> {
    match value {
        Value::Array(array) => {
            for element in &array.elements {
                blocks(source, element, layout, labels, found)?;
            }
        }
        Value::Object(object) if labels.len() < layout.labels.len() => {
            for property in &object.properties {
                let label = property.name.as_str();
                if label == COMMENT {
                    continue;
                }
                labels.push(label.to_owned());
                blocks(source, &property.value, layout, labels, found)?;
                labels.pop();
            }
        }
        Value::Object(object) => found.push(Block {
            name: layout.name.to_owned(),
            labels: labels.clone(),
            span: span(source, object),
            body: body(source, object, layout.body)?,
        }),
        other => {
            let message = format!("a {} block is written as a JSON object", layout.name);
            return Err(source.error(&span(source, other), message));
        }
    }
    Ok(())
}

fn expression(source: &Source, value: &Value<'_>) -> Result<expr::Expression, ConfigError> {
    Ok(match value {
        Value::NullKeyword(_) => expr::Expression::null(),
        Value::BooleanLit(literal) => literal.value.into(),
        Value::NumberLit(literal) => number(source, literal)?.into(),
        Value::StringLit(literal) => template(source, literal)?,
        Value::Array(array) => {
            let elements = array
                .elements
                .iter()
                .map(|element| expression(source, element));
            expr::Expression::Array(elements.collect::<Result<expr::Array, _>>()?)
        }
        Value::Object(object) => {
            let mut fields = Object::new();
            for property in &object.properties {
                let key = expr::Expression::from(property.name.as_str());
                let value = ObjectValue::new(expression(source, &property.value)?);
                if fields.insert(ObjectKey::Expression(key), value).is_some() {
                    let message = format!("\"{}\" is set twice", property.name.as_str());
                    return Err(source.error(&span(source, property), message));
                }
            }
            expr::Expression::Object(fields)
        }
    })
}

fn number(source: &Source, literal: &ast::NumberLit<'_>) -> Result<Number, ConfigError> {
    let text = literal.value;
    let whole = text.parse::<i64>().map(Number::from).ok();
    let whole = whole.or_else(|| text.parse::<u64>().map(Number::from).ok());
    whole
        .or_else(|| text.parse().ok().and_then(Number::from_f64))
        .ok_or_else(|| source.error(&span(source, literal), "the number is out of range"))
}

/// A text is a template; one interpolation alone is the expression in it.
fn template(
    source: &Source,
    literal: &ast::StringLit<'_>,
) -> Result<expr::Expression, ConfigError> {
    let template: Template = literal
        .value
        .parse()
        .map_err(|error: hcl_edit::parser::Error| {
            let message = format!("not a valid template: {}", error.message());
            source.error(&span(source, literal), message)
        })?;
    let mut elements: Vec<Element> = template.into_iter().collect();
    match elements.as_slice() {
        [] => return Ok(String::new().into()),
        [Element::Literal(text)] => return Ok(text.value().clone().into()),
        _ => {}
    }
    if let [Element::Interpolation(_)] = elements.as_slice()
        && let Some(Element::Interpolation(interpolation)) = elements.pop()
    {
        return Ok(interpolation.expr);
    }
    Ok(expr::Expression::StringTemplate(StringTemplate::from(
        elements,
    )))
}
