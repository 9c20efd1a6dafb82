//! The names in an expression: which of them are known, and which local values it
//! refers to.

use std::collections::{BTreeMap, BTreeSet};

use hcl_edit::expr::{Expression, ForExpr, FuncCall, Traversal, TraversalOperator};
use hcl_edit::template::ForDirective;
use hcl_edit::visit::{self, Visit};
use hcl_edit::{Decorated, Ident};

use super::document;
use super::functions;

/// The name is not told: it may be a secret whose quotes were forgotten.
pub(super) const UNKNOWN: &str = "an unknown name: texts stand in quotes, and expressions may use var, local, path and functions";

const LOCAL_BY_NAME: &str = "a local value is named as it is defined: local.NAME";

/// What expressions can refer to.
pub(super) struct Known {
    /// Every declared variable, and whether it has a value.
    pub(super) variables: BTreeMap<String, bool>,
    /// Evaluated where something refers to them, and not before.
    pub(super) locals: BTreeMap<String, document::Expression>,
}

impl Known {
    /// The local values that an expression refers to, or what is wrong with its
    /// names.
    pub(super) fn locals_in(&self, expression: &Expression) -> Result<BTreeSet<String>, String> {
        let mut names = Names {
            known: self,
            problem: None,
            bound: Vec::new(),
            in_for: false,
            used: BTreeSet::new(),
        };
        names.visit_expr(expression);
        match names.problem {
            None => Ok(names.used),
            Some(problem) => Err(problem),
        }
    }

    /// What is wrong with a reference, if anything.
    fn problem(&self, traversal: &Traversal, bound: &[String]) -> Option<String> {
        let root = traversal.expr.as_variable()?.as_str();
        if bound.iter().any(|bound| bound == root) {
            return None;
        }
        let name = match first_name(traversal) {
            Some(name) => name,
            None if root == "local" => return Some(LOCAL_BY_NAME.to_owned()),
            None => return None,
        };
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
            "local" if self.locals.contains_key(name) => None,
            "local" => Some(format!("there is no local value \"{name}\"")),
            "path" => None,
            "key_provider" => Some(format!(
                "{root}.{name} is a key provider: only an attribute that takes keys can refer to one"
            )),
            "data" | "module" | "each" | "count" | "self" | "terraform" => Some(format!(
                "{root} cannot be used here: encryption is known before anything is planned"
            )),
            _ => Some(UNKNOWN.to_owned()),
        }
    }
}

/// The name that a reference gives first: `a` of `var.a` and of `var["a"]`.
pub(super) fn first_name(traversal: &Traversal) -> Option<&str> {
    match traversal.operators.first()?.value() {
        TraversalOperator::GetAttr(name) => Some(name.as_str()),
        TraversalOperator::Index(index) => index.as_str(),
        _ => None,
    }
}

/// Looks for names that cannot be resolved, to say so better than evaluation
/// does, and for local values.
struct Names<'a> {
    known: &'a Known,
    problem: Option<String>,
    /// The names that loops around give to elements.
    bound: Vec<String>,
    in_for: bool,
    used: BTreeSet<String>,
}

impl Names<'_> {
    /// Loops in loops multiply: a line could keep the machine busy for ever. What
    /// a loop runs over does not know the loop's names.
    fn nest(&mut self, collection: &Expression, names: Vec<String>, visit: impl FnOnce(&mut Self)) {
        if self.in_for {
            self.problem = Some("a for inside another for is not supported".to_owned());
            return;
        }
        self.in_for = true;
        self.visit_expr(collection);
        self.bound = names;
        visit(self);
        self.bound.clear();
        self.in_for = false;
    }

    fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|bound| bound == name)
    }

    fn note_local(&mut self, traversal: &Traversal) {
        let is_local = |name: &Ident| name.as_str() == "local";
        if traversal.expr.as_variable().is_some_and(is_local)
            && !self.is_bound("local")
            && let Some(name) = first_name(traversal)
        {
            self.used.insert(name.to_owned());
        }
    }
}

impl Visit for Names<'_> {
    fn visit_expr(&mut self, node: &Expression) {
        // The word alone: no name stands behind it.
        if self.problem.is_none()
            && node
                .as_variable()
                .is_some_and(|name| name.as_str() == "local")
            && !self.is_bound("local")
        {
            self.problem = Some(LOCAL_BY_NAME.to_owned());
        }
        visit::visit_expr(self, node);
    }

    fn visit_traversal(&mut self, node: &Traversal) {
        if self.problem.is_none() {
            self.problem = self.known.problem(node, &self.bound);
        }
        self.note_local(node);
        for operator in &node.operators {
            self.visit_traversal_operator(operator.value());
        }
        // A name before an operator was judged with it.
        if node.expr.as_variable().is_none() {
            self.visit_expr(&node.expr);
        }
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
        let intro = &node.intro;
        let names = loop_names(intro.key_var.as_ref(), &intro.value_var);
        self.nest(&intro.collection_expr, names, |visitor| {
            if let Some(key) = &node.key_expr {
                visitor.visit_expr(key);
            }
            visitor.visit_expr(&node.value_expr);
            if let Some(cond) = &node.cond {
                visitor.visit_expr(&cond.expr);
            }
        });
    }

    fn visit_for_directive(&mut self, node: &ForDirective) {
        let node = &node.for_expr;
        let names = loop_names(node.key_var.as_ref(), &node.value_var);
        self.nest(&node.collection_expr, names, |visitor| {
            visitor.visit_template(&node.template);
        });
    }
}

/// The names that a loop gives to elements.
pub(super) fn loop_names(key: Option<&Decorated<Ident>>, value: &Decorated<Ident>) -> Vec<String> {
    let names = key.into_iter().chain([value]);
    names.map(|name| name.as_str().to_owned()).collect()
}
