//! From expressions to values. Errors never show a value: it may be secret.

use std::collections::BTreeMap;
use std::path::Path;

use hcl::eval::{Context, ErrorKind, Evaluate};
use hcl::{Map, Value};

use super::document;
use super::functions;
use super::graph;
use super::names::{self, Known, UsedLocals};
use super::source::ConfigError;
use super::sources::Sources;

/// The most that the local values of one expression may grow to, in bytes: local
/// values that double each other would fill any memory.
const MAXIMUM_LOCAL_SIZE: usize = 16 << 20;

/// What expressions can refer to.
pub(super) struct Scope {
    context: Context<'static>,
    known: Known,
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
            known: Known {
                variables: variables.collect(),
                locals,
            },
        }
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(
        &self,
        sources: &Sources,
        value: &document::Expression,
    ) -> Result<Value, ConfigError> {
        let used = self.used_locals(sources, value)?;
        let mut values = Map::new();
        for name in &used.all() {
            self.evaluate_local(sources, name, &mut values)?;
        }
        self.evaluate_with(sources, value, &used, &values)
    }

    /// Evaluates a local value, and first all that it refers to.
    fn evaluate_local(
        &self,
        sources: &Sources,
        name: &str,
        values: &mut Map<String, Value>,
    ) -> Result<(), ConfigError> {
        let local = |name: &str| {
            let missing = || ConfigError::new(format!("there is no local value \"{name}\""));
            self.known.locals.get(name).ok_or_else(missing)
        };
        let order = graph::order(
            &format!("local.{name}"),
            |address| {
                let used = self.used_locals(sources, local(bare(address))?)?;
                let names = used.all().into_iter();
                Ok(names.map(|name| format!("local.{name}")).collect())
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
            if !values.contains_key(name) {
                let expression = local(name)?;
                let used = self.used_locals(sources, expression)?;
                let value = self.evaluate_with(sources, expression, &used, values)?;
                values.insert(name.to_owned(), value);
            }
        }
        Ok(())
    }

    /// The local values that an expression refers to, where all its names are
    /// known.
    fn used_locals(
        &self,
        sources: &Sources,
        value: &document::Expression,
    ) -> Result<UsedLocals, ConfigError> {
        self.known
            .locals_in(&value.expression)
            .map_err(|problem| sources.error(&value.span, problem))
    }

    fn evaluate_with(
        &self,
        sources: &Sources,
        value: &document::Expression,
        used: &UsedLocals,
        values: &Map<String, Value>,
    ) -> Result<Value, ConfigError> {
        let expression = hcl::Expression::from(value.expression.clone());
        let evaluated = if used.is_empty() {
            expression.evaluate(&self.context)
        } else {
            if used.size(values, value.span.len()) > MAXIMUM_LOCAL_SIZE {
                let message = format!(
                    "local values grow to more than {MAXIMUM_LOCAL_SIZE} bytes in this expression"
                );
                return Err(sources.error(&value.span, message));
            }
            let names = used.all().into_iter();
            let needed = names.filter_map(|name| {
                let value = values.get(&name)?.clone();
                Some((name, value))
            });
            let mut context = self.context.clone();
            context.declare_var("local", Value::Object(needed.collect()));
            expression.evaluate(&context)
        };
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
mod tests {
    use std::path::Path;

    use crate::config::Config;
    use crate::config::inputs::Inputs;
    use crate::config::method::Method;
    use crate::config::source::Source;
    use crate::config::syntax::Syntax;
    use crate::config::target::TargetName;

    /// The value of an expression that ends up as a text.
    fn evaluated(expression: &str, rest: &str) -> Result<String, String> {
        let text = format!(
            "encryption {{\n method \"external\" \"m\" {{\n encrypt_command = [{expression}]\n decrypt_command = [\"x\"]\n }}\n state {{\n method = method.external.m\n }}\n}}\n{rest}"
        );
        let source = Source::new("f".to_owned(), text);
        let config = Config::parse(source, Syntax::Hcl, Path::new(""), &Inputs::default());
        let target = config.and_then(|config| config.target(&TargetName::State));
        match target
            .map_err(|error| error.to_string())?
            .methods
            .remove(0)
            .method
        {
            Method::External(mut external) => Ok(external.encrypt_command.remove(0)),
            _ => Err("another method".to_owned()),
        }
    }

    #[test]
    fn local_values_are_evaluated_in_the_order_of_their_references() {
        let rest = r#"
            locals {
              a = "${local.b}-${var.v}"
              c = ["c", { d = "e" }]
            }
            locals {
              b = trimspace(" ${local["c"][0]}${local.c[1].d} ")
            }
            variable "v" {
              default = "v"
            }
        "#;
        assert_eq!(evaluated("local.a", rest).as_deref(), Ok("ce-v"));
        assert_eq!(
            evaluated("\"%{ for x in [local.b, local.a] }${x}.%{ endfor }\"", rest).as_deref(),
            Ok("ce.ce-v.")
        );
        assert_eq!(evaluated("path.module", "").as_deref(), Ok("."));
    }

    #[test]
    fn names_of_loops_are_names() {
        let rest = "locals {\n l = [{ n = \"a\" }, { n = \"b\" }]\n}";
        assert_eq!(
            evaluated("[for local, x in local.l : x.n][1]", rest).as_deref(),
            Ok("b")
        );
        let error = evaluated("[for x in local.l : y.n][1]", rest).expect_err("unknown");
        assert!(error.contains("an unknown name"), "{error}");
    }

    #[test]
    fn what_nothing_refers_to_is_not_evaluated() {
        let rest = r#"
            locals {
              a = "a"
              b = aws_instance.x[0].id
              c = [for k in keys(data.x.y) : [for l in k : l]]
              d = provider::aws::arn(module.m.n)
              e = local.f
              f = local.e
              g = local.nothing
            }
        "#;
        assert_eq!(evaluated("local.a", rest).as_deref(), Ok("a"));
        for (expression, part) in [
            ("local.b", "f:13:19: an unknown name"),
            ("local.c", "f:14:19: "),
            ("local.d", "f:15:19: "),
            (
                "local.e",
                "f:17:19: local values refer to each other in a cycle: local.e → local.f → local.e",
            ),
            ("local.g", "f:18:19: there is no local value \"nothing\""),
            (
                "local.nothing",
                "f:3:20: there is no local value \"nothing\"",
            ),
            ("local[var.x]", "a local value is named as it is defined"),
            ("local", "a local value is named as it is defined"),
            ("data.a.b", "data cannot be used here"),
            ("module.a.b", "module cannot be used here"),
        ] {
            let error = evaluated(expression, rest).expect_err(expression);
            assert!(error.contains(part), "{expression}: {error}");
        }
    }

    #[test]
    fn a_local_value_is_defined_once() {
        let rest = "locals {\n a = 1\n}\nlocals {\n a = 2\n}";
        let error = evaluated("local.a", rest).expect_err("twice");
        assert!(
            error.contains("the local value \"a\" is defined twice"),
            "{error}"
        );
    }

    #[test]
    fn local_values_that_double_each_other_are_stopped() {
        for step in [
            "\"${local.aN}${local.aN}\"",
            "[for x in local.aN : local.aN]",
        ] {
            let mut rest = "locals {\n a0 = [\"0123456789\", \"0123456789\"]\n".to_owned();
            if step.starts_with('"') {
                rest = rest.replace("[\"0123456789\", \"0123456789\"]", "\"0123456789\"");
            }
            for number in 0..60 {
                let step = step.replace('N', &number.to_string());
                rest.push_str(&format!(" a{} = {step}\n", number + 1));
            }
            rest.push('}');
            let error = evaluated("local.a60", &rest).expect_err(step);
            assert!(error.contains("local values grow to more than"), "{error}");
        }
    }

    #[test]
    fn a_long_chain_of_local_values_is_no_trouble() {
        let mut rest = "locals {\n a0 = \"end\"\n".to_owned();
        for number in 0..1_000 {
            rest.push_str(&format!(" a{} = local.a{number}\n", number + 1));
        }
        rest.push('}');
        assert_eq!(evaluated("local.a1000", &rest).as_deref(), Ok("end"));
    }
}
