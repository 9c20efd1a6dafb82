//! `variable` blocks and the values that they get.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hcl::Value;
use hcl_edit::expr::Expression;

use super::convert::convert;
use super::document::{self, Body};
use super::evaluate::Scope;
use super::inputs::Inputs;
use super::layout::VARIABLES_FILE;
use super::read::read;
use super::source::{ConfigError, Source};
use super::sources::Sources;
use super::syntax;
use crate::descriptor::AttributeType;

/// The type that a block declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    /// `string`, `number` or `bool`.
    Primitive(AttributeType),
    /// `any`, or none declared: a text from outside is a text.
    Any,
    /// `list(…)` and the like: a text from outside is an expression.
    Complex,
}

/// Reads the declarations and gives each its value, if there is one: from the
/// declaration, the environment, the files that belong to the configuration, and
/// those and the values of the command line, later ones winning.
pub(super) fn values(
    sources: &Sources,
    body: &Body,
    directory: &Path,
    files: &[PathBuf],
    inputs: &Inputs,
) -> Result<BTreeMap<String, Option<Value>>, ConfigError> {
    let scope = Scope::without_variables(directory);
    let mut types = BTreeMap::new();
    let mut values = BTreeMap::new();
    for block in body.blocks("variable") {
        let name = block.labels.concat();
        let declared = block
            .body
            .attribute("type")
            .map(|attribute| &attribute.value);
        let kind = declared.map_or(Type::Any, |value| type_of(&value.expression));
        let default = match block.body.attribute("default") {
            None => None,
            Some(attribute) => {
                let value = scope.evaluate(sources, &attribute.value)?;
                let value = fit(&name, kind, value)
                    .map_err(|message| sources.error(&attribute.span, message))?;
                Some(value)
            }
        };
        if types.insert(name.clone(), kind).is_some() {
            let message = format!("the variable \"{name}\" is declared twice");
            return Err(sources.error(&block.span, message));
        }
        values.insert(name, default);
    }
    for (name, text) in &inputs.environment {
        if let Some(kind) = types.get(name) {
            values.insert(name.clone(), Some(from_text(name, *kind, text, &scope)?));
        }
    }
    for path in files.iter().chain(&inputs.files) {
        read_file(path, &types, &scope, &mut values)?;
    }
    for (name, text) in &inputs.values {
        let Some(kind) = types.get(name) else {
            return Err(ConfigError::new(format!(
                "-var {name}: {} declares no variable \"{name}\"",
                sources.name()
            )));
        };
        values.insert(name.clone(), Some(from_text(name, *kind, text, &scope)?));
    }
    Ok(values)
}

fn read_file(
    path: &Path,
    types: &BTreeMap<String, Type>,
    scope: &Scope,
    values: &mut BTreeMap<String, Option<Value>>,
) -> Result<(), ConfigError> {
    let source = read(path)?;
    let body = syntax::parse(&source, path, &VARIABLES_FILE)?;
    let sources = Sources::from(source);
    for attribute in &body.attributes {
        // A file may serve several configurations.
        let Some(kind) = types.get(&attribute.name) else {
            continue;
        };
        let value = scope.evaluate(&sources, &attribute.value)?;
        let value = fit(&attribute.name, *kind, value)
            .map_err(|message| sources.error(&attribute.span, message))?;
        values.insert(attribute.name.clone(), Some(value));
    }
    Ok(())
}

fn type_of(expression: &Expression) -> Type {
    let name = expression.as_variable().map(|name| name.as_str());
    match name.or_else(|| expression.as_str()) {
        Some("string") => Type::Primitive(AttributeType::String),
        Some("number") => Type::Primitive(AttributeType::Number),
        Some("bool") => Type::Primitive(AttributeType::Bool),
        Some("any") => Type::Any,
        _ => Type::Complex,
    }
}

fn fit(name: &str, kind: Type, value: Value) -> Result<Value, String> {
    let Type::Primitive(wanted) = kind else {
        return Ok(value);
    };
    if value.is_null() {
        return Ok(value);
    }
    let json = convert(&value, wanted)
        .map_err(|found| format!("the variable {name} takes {wanted}, not {found}"))?;
    hcl::to_value(json).map_err(|_| format!("the variable {name} takes {wanted}"))
}

/// A value from the environment or the command line.
fn from_text(name: &str, kind: Type, text: &str, scope: &Scope) -> Result<Value, ConfigError> {
    if kind != Type::Complex {
        return fit(name, kind, Value::from(text)).map_err(ConfigError::new);
    }
    let source = Source::new(format!("the value of variable {name}"), text.to_owned());
    let expression = text.parse::<Expression>().map_err(|error| {
        let message = format!("not a valid expression: {}", error.message());
        source.error_at(error.location().line(), error.location().column(), message)
    })?;
    let value = document::Expression {
        expression,
        span: 0..text.len(),
        from_json: false,
    };
    scope.evaluate(&Sources::from(source), &value)
}
