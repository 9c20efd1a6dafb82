//! From expressions to values. Errors never show a value: it may be secret.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hcl::eval::{Context, ErrorKind, Evaluate};
use hcl::{Map, Value};

use super::counted::counted;
use super::document;
use super::functions;
use super::graph;
use super::meter;
use super::names::{self, Known};
use super::source::ConfigError;
use super::sources::Sources;

/// What expressions can refer to.
pub(super) struct Scope {
    context: Context<'static>,
    known: Known,
    variables: BTreeMap<String, Arc<Value>>,
    state: Mutex<State>,
}

/// What evaluation leaves behind.
#[derive(Default)]
struct State {
    /// The local values that something referred to.
    locals: BTreeMap<String, Arc<Value>>,
    /// What all expressions have produced, in bytes.
    produced: usize,
    /// The places of the expressions that are in it.
    counted: BTreeSet<(usize, usize)>,
}

impl Scope {
    /// No variables: functions and paths alone.
    pub(super) fn without_variables(directory: &Path) -> Self {
        Self::new(directory, &BTreeMap::new(), BTreeMap::new())
    }

    /// Declared variables, with the values of those that have one, and local
    /// values.
    pub(super) fn new(
        directory: &Path,
        variables: &BTreeMap<String, Option<Value>>,
        locals: BTreeMap<String, document::Expression>,
    ) -> Self {
        let mut context = Context::new();
        functions::declare(&mut context);
        meter::declare(&mut context);
        let values = variables
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        context.declare_var("var", Value::Object(values.collect::<Map<_, _>>()));
        context.declare_var("path", paths(directory));
        let values = variables
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), Arc::new(value.clone()?))))
            .collect();
        let variables = variables
            .iter()
            .map(|(name, value)| (name.clone(), value.is_some()));
        Self {
            context,
            known: Known {
                variables: variables.collect(),
                locals,
            },
            variables: values,
            state: Mutex::default(),
        }
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(
        &self,
        sources: &Sources,
        value: &document::Expression,
    ) -> Result<Value, ConfigError> {
        let used = self.used_locals(sources, value)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for name in &used {
            self.evaluate_local(sources, name, &mut state)?;
        }
        self.evaluate_with(sources, value, &mut state)
    }

    /// Evaluates a local value, and first all that it refers to.
    fn evaluate_local(
        &self,
        sources: &Sources,
        name: &str,
        state: &mut State,
    ) -> Result<(), ConfigError> {
        let local = |name: &str| {
            let missing = || ConfigError::new(format!("there is no local value \"{name}\""));
            self.known.locals.get(name).ok_or_else(missing)
        };
        if state.locals.contains_key(name) {
            return Ok(());
        }
        let order = graph::order(
            &format!("local.{name}"),
            |address| {
                let used = self.used_locals(sources, local(bare(address))?)?;
                let open = used
                    .into_iter()
                    .filter(|name| !state.locals.contains_key(name));
                Ok(open.map(|name| format!("local.{name}")).collect())
            },
            |last, cycle| {
                let message = format!("local values refer to each other in a cycle: {cycle}");
                match self.known.locals.get(bare(last)) {
                    Some(local) => sources.error(&local.span, message),
                    None => ConfigError::new(message),
                }
            },
        )?;
        for address in order {
            let name = bare(&address);
            let value = self.evaluate_with(sources, local(name)?, state)?;
            state.locals.insert(name.to_owned(), Arc::new(value));
        }
        Ok(())
    }

    /// The local values that an expression refers to, where all its names are
    /// known.
    fn used_locals(
        &self,
        sources: &Sources,
        value: &document::Expression,
    ) -> Result<BTreeSet<String>, ConfigError> {
        self.known
            .locals_in(&value.expression)
            .map_err(|problem| sources.error(&value.span, problem))
    }

    /// Evaluates an expression whose local values are evaluated. What it produces
    /// counts once, however often it is evaluated.
    fn evaluate_with(
        &self,
        sources: &Sources,
        value: &document::Expression,
        state: &mut State,
    ) -> Result<Value, ConfigError> {
        let (expression, values) = counted(&value.expression, |root, name| match root {
            "var" => self.variables.get(name).cloned(),
            "local" => state.locals.get(name).cloned(),
            _ => None,
        });
        let expression = hcl::Expression::from(expression);
        let is_first = state.counted.insert((value.span.start, value.span.end));
        let before = if is_first { state.produced } else { 0 };
        let (evaluated, after) =
            meter::metered(values, before, || expression.evaluate(&self.context));
        if is_first {
            state.produced = after;
        }
        evaluated.map_err(|error| sources.error(&value.span, describe(error.kind())))
    }
}

/// The name in `local.name`, from `name` or `local.name`.
fn bare(address: &str) -> &str {
    address.strip_prefix("local.").unwrap_or(address)
}

/// OpenTofu's paths: the module's directory and the working directory.
fn paths(directory: &Path) -> Value {
    let directory = if directory.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        directory.to_string_lossy().into_owned()
    };
    let working = std::env::current_dir()
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default();
    Value::Object(Map::from_iter([
        ("module".to_owned(), directory.clone().into()),
        ("root".to_owned(), directory.into()),
        ("cwd".to_owned(), working.into()),
    ]))
}

fn describe(error: &ErrorKind) -> String {
    match error {
        ErrorKind::UndefinedVar(_) => names::UNKNOWN.to_owned(),
        ErrorKind::UndefinedFunc(_) => "an unknown function".to_owned(),
        ErrorKind::FuncCall(name, message) if meter::is_own(name.name.as_str()) => message.clone(),
        ErrorKind::FuncCall(name, message) => format!("{name}: {message}"),
        ErrorKind::Unexpected(value, expected) => {
            format!("{expected} is needed here, not {}", type_of(value))
        }
        ErrorKind::Index(index) => format!("there is no element {index}"),
        ErrorKind::NoSuchKey(_) => "there is no such element".to_owned(),
        ErrorKind::KeyExists(_) => "an object has the same key twice".to_owned(),
        ErrorKind::UnaryOp(operator, value) => {
            format!("{operator} does not apply to {}", type_of(value))
        }
        ErrorKind::BinaryOp(left, operator, right) => format!(
            "{operator} does not apply to {} and {}",
            type_of(left),
            type_of(right)
        ),
        _ => "this expression cannot be evaluated".to_owned(),
    }
}

/// The type of a value, for messages that must not show it.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
