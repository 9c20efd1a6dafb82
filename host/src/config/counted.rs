//! Has every name in an expression counted by the meter's functions.

use std::sync::Arc;

use hcl::Value;
use hcl_edit::expr::{Expression, ForExpr, FuncArgs, FuncCall, Traversal, TraversalOperator};
use hcl_edit::template::ForDirective;
use hcl_edit::visit::{self, Visit};
use hcl_edit::visit_mut::{self, VisitMut};
use hcl_edit::{Decorate, Decorated, Formatted, Ident};

use super::meter::{COUNT, LOOP, VALUE, VALUE_SIZE};
use super::names::{first_name, loop_names};

/// An expression to be evaluated under the meter, with the values that it names.
pub(super) fn counted(
    expression: &Expression,
    value: impl Fn(&str, &str) -> Option<Arc<Value>>,
) -> (Expression, Vec<Arc<Value>>) {
    let mut counted = Counted {
        value,
        values: Vec::new(),
        bound: Vec::new(),
    };
    let mut expression = expression.clone();
    counted.visit_expr_mut(&mut expression);
    (expression, counted.values)
}

/// Rewrites an expression whose names are known, and whose loops hold no loops.
struct Counted<V> {
    /// The value of `var.NAME` and `local.NAME`.
    value: V,
    values: Vec<Arc<Value>>,
    /// The names that the loop around gives to elements.
    bound: Vec<String>,
}

impl<V: Fn(&str, &str) -> Option<Arc<Value>>> Counted<V> {
    fn named(&self, traversal: &Traversal) -> Option<Arc<Value>> {
        let root = traversal.expr.as_variable()?.as_str();
        if self.bound.iter().any(|bound| bound == root) {
            return None;
        }
        (self.value)(root, first_name(traversal)?)
    }

    fn nest(&mut self, names: Vec<String>, visit: impl FnOnce(&mut Self)) {
        self.bound = names;
        visit(self);
        self.bound.clear();
    }
}

impl<V: Fn(&str, &str) -> Option<Arc<Value>>> VisitMut for Counted<V> {
    fn visit_expr_mut(&mut self, node: &mut Expression) {
        match node {
            Expression::Variable(_) => wrap(node, COUNT, 1),
            Expression::FuncCall(_) => {
                visit_mut::visit_expr_mut(self, node);
                wrap(node, COUNT, 1);
            }
            Expression::Traversal(traversal) => {
                let named = self.named(traversal);
                for operator in &mut traversal.operators {
                    self.visit_traversal_operator_mut(operator.value_mut());
                }
                // A splat puts a list around each element that is none.
                let splats = traversal.operators.iter().filter(|operator| {
                    matches!(
                        operator.value(),
                        TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_)
                    )
                });
                let times = 1 + splats.count();
                let Some(value) = named else {
                    self.visit_expr_mut(&mut traversal.expr);
                    wrap(&mut traversal.expr, COUNT, times);
                    return;
                };
                let head = call(VALUE, vec![whole(self.values.len()), whole(times)]);
                self.values.push(value);
                traversal.operators.remove(0);
                if traversal.operators.is_empty() {
                    let decor = std::mem::take(node.decor_mut());
                    *node = head.decorated(decor);
                } else {
                    traversal.expr = head;
                }
            }
            _ => visit_mut::visit_expr_mut(self, node),
        }
    }

    fn visit_for_expr_mut(&mut self, node: &mut ForExpr) {
        let mut turn = Size(0);
        turn.visit_expr(&node.value_expr);
        for expression in node
            .key_expr
            .iter()
            .chain(node.cond.iter().map(|cond| &cond.expr))
        {
            turn.visit_expr(expression);
        }
        self.visit_expr_mut(&mut node.intro.collection_expr);
        wrap(&mut node.intro.collection_expr, LOOP, turn.0);
        let names = loop_names(node.intro.key_var.as_ref(), &node.intro.value_var);
        self.nest(names, |counted| {
            if let Some(key) = &mut node.key_expr {
                counted.visit_expr_mut(key);
            }
            counted.visit_expr_mut(&mut node.value_expr);
            if let Some(cond) = &mut node.cond {
                counted.visit_expr_mut(&mut cond.expr);
            }
        });
    }

    fn visit_for_directive_mut(&mut self, node: &mut ForDirective) {
        let node = &mut node.for_expr;
        let mut turn = Size(0);
        turn.visit_template(&node.template);
        self.visit_expr_mut(&mut node.collection_expr);
        wrap(&mut node.collection_expr, LOOP, turn.0);
        let names = loop_names(node.key_var.as_ref(), &node.value_var);
        self.nest(names, |counted| {
            counted.visit_template_mut(&mut node.template)
        });
    }
}

/// What is written takes when it is produced, in bytes.
struct Size(usize);

impl Visit for Size {
    fn visit_expr(&mut self, node: &Expression) {
        self.0 += VALUE_SIZE;
        visit::visit_expr(self, node);
    }

    fn visit_string(&mut self, node: &Decorated<String>) {
        self.0 += node.as_str().len();
    }

    fn visit_literal(&mut self, node: &hcl_edit::Spanned<String>) {
        self.0 += node.as_str().len();
    }
}

/// Puts an expression into a call of a function of the meter's.
fn wrap(expression: &mut Expression, function: &str, number: usize) {
    let decor = std::mem::take(expression.decor_mut());
    let inner = std::mem::replace(expression, Expression::null());
    *expression = call(function, vec![inner, whole(number)]).decorated(decor);
}

fn call(function: &str, arguments: Vec<Expression>) -> Expression {
    let arguments: FuncArgs = arguments.into();
    FuncCall::new(Ident::new(function), arguments).into()
}

fn whole(number: usize) -> Expression {
    Expression::Number(Formatted::new((number as u64).into()))
}
