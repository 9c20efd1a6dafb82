//! From expressions to values. Errors never show a value: it may be secret.

use std::collections::BTreeMap;
use std::path::Path;

use hcl::eval::{Context, ErrorKind, Evaluate};
use hcl::{Map, Value};
use hcl_edit::expr::{ForExpr, FuncCall, Traversal, TraversalOperator};
use hcl_edit::template::ForDirective;
use hcl_edit::visit::{self, Visit};

use super::document;
use super::functions;
use super::source::{ConfigError, Source};

/// What expressions can refer to.
pub(super) struct Scope {
    context: Context<'static>,
    /// Every declared variable, and whether it has a value.
    variables: BTreeMap<String, bool>,
}

impl Scope {
    /// No variables: functions and paths alone.
    pub(super) fn without_variables(directory: &Path) -> Self {
        Self::new(directory, &BTreeMap::new())
    }

    /// Declared variables, with the values of those that have one.
    pub(super) fn new(directory: &Path, variables: &BTreeMap<String, Option<Value>>) -> Self {
        let mut context = Context::new();
        functions::declare(&mut context);
        let values = variables
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        context.declare_var("var", Value::Object(values.collect::<Map<_, _>>()));
        context.declare_var("path", paths(directory));
        let variables = variables
            .iter()
            .map(|(name, value)| (name.clone(), value.is_some()));
        Self {
            context,
            variables: variables.collect(),
        }
    }

    /// Evaluates an expression of a source.
    pub(super) fn evaluate(
        &self,
        source: &Source,
        value: &document::Expression,
    ) -> Result<Value, ConfigError> {
        let mut names = Names {
            scope: self,
            problem: None,
            in_for: false,
        };
        names.visit_expr(&value.expression);
        if let Some(problem) = names.problem {
            return Err(source.error(&value.span, problem));
        }
        hcl::Expression::from(value.expression.clone())
            .evaluate(&self.context)
            .map_err(|error| source.error(&value.span, describe(error.kind())))
    }

    /// What is wrong with a reference, if anything.
    fn problem(&self, traversal: &Traversal) -> Option<String> {
        let root = traversal.expr.as_variable()?.as_str();
        let Some(TraversalOperator::GetAttr(name)) =
            traversal.operators.first().map(|operator| operator.value())
        else {
            return None;
        };
        let name = name.as_str();
        match root {
            "var" => match self.variables.get(name) {
                Some(true) => None,
                Some(false) => Some(format!(
                    "the variable {name} has no value: set KEYHOST_VAR_{name} or TF_VAR_{name}, pass -var or -var-file, or give it a default"
                )),
                None => Some(format!(
                    "there is no variable \"{name}\" block: declare it to use var.{name}"
                )),
            },
            "path" => None,
            "key_provider" => Some(format!(
                "{root}.{name} is a key provider: only an attribute that takes keys can refer to one"
            )),
            _ => Some(UNKNOWN.to_owned()),
        }
    }
}

/// OpenTofu's paths: the module's directory and the working directory.
fn paths(directory: &Path) -> Value {
    let directory = directory.to_string_lossy().into_owned();
    let working = std::env::current_dir()
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default();
    Value::Object(Map::from_iter([
        ("module".to_owned(), directory.clone().into()),
        ("root".to_owned(), directory.into()),
        ("cwd".to_owned(), working.into()),
    ]))
}

/// The name is not told: it may be a secret whose quotes were forgotten.
const UNKNOWN: &str =
    "an unknown name: texts stand in quotes, and expressions may use var, path and functions";

/// Looks for names that cannot be resolved, to say so better than evaluation
/// does.
struct Names<'a> {
    scope: &'a Scope,
    problem: Option<String>,
    in_for: bool,
}

impl Names<'_> {
    /// Loops in loops multiply: a line could keep the machine busy for ever.
    fn nest(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.in_for {
            self.problem = Some("a for inside another for is not supported".to_owned());
            return;
        }
        self.in_for = true;
        visit(self);
        self.in_for = false;
    }
}

impl Visit for Names<'_> {
    fn visit_traversal(&mut self, node: &Traversal) {
        if self.problem.is_none() {
            self.problem = self.scope.problem(node);
        }
        visit::visit_traversal(self, node);
    }

    fn visit_func_call(&mut self, node: &FuncCall) {
        let name = node.name.name.as_str();
        let known = node.name.namespace.is_empty() && functions::NAMES.contains(&name);
        if self.problem.is_none() && !known {
            let known = functions::NAMES.join(", ");
            self.problem = Some(format!("an unknown function: there are {known}"));
        }
        visit::visit_func_call(self, node);
    }

    fn visit_for_expr(&mut self, node: &ForExpr) {
        self.nest(|names| visit::visit_for_expr(names, node));
    }

    fn visit_for_directive(&mut self, node: &ForDirective) {
        self.nest(|names| visit::visit_for_directive(names, node));
    }
}

fn describe(error: &ErrorKind) -> String {
    match error {
        ErrorKind::UndefinedVar(_) => UNKNOWN.to_owned(),
        ErrorKind::UndefinedFunc(_) => "an unknown function".to_owned(),
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
