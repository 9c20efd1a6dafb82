//! How much expressions produce: values that multiply each other would fill any
//! memory, and keep the machine busy for ever.
//!
//! The evaluator clones what an expression names, and its functions are plain
//! function pointers. So every name stands in a call of one of the functions here,
//! which count what they hand on in the thread's own count.

use std::cell::RefCell;
use std::sync::Arc;

use hcl::Value;
use hcl::eval::{Context, FuncArgs, FuncDef, ParamType};

/// The most that the expressions of a configuration may produce, in bytes.
pub(super) const MAXIMUM_PRODUCED: usize = 16 << 20;

/// What a value takes in memory besides its text, in bytes, about.
pub(super) const VALUE_SIZE: usize = 72;

/// Hands on the value of this number.
pub(super) const VALUE: &str = "keyhost_value";

/// Hands on a value that takes so many times its size.
pub(super) const COUNT: &str = "keyhost_count";

/// Hands on a collection of whose turns each takes so many bytes.
pub(super) const LOOP: &str = "keyhost_loop";

/// What one expression refers to, and what was produced so far.
struct Meter {
    values: Vec<Arc<Value>>,
    produced: usize,
}

thread_local! {
    static METER: RefCell<Meter> = const {
        RefCell::new(Meter {
            values: Vec::new(),
            produced: 0,
        })
    };
}

/// Whether a function is the meter's, and not written by anyone.
pub(super) fn is_own(function: &str) -> bool {
    [VALUE, COUNT, LOOP].contains(&function)
}

/// Declares the functions that count.
pub(super) fn declare(context: &mut Context<'_>) {
    for (name, function) in [
        (VALUE, value as fn(FuncArgs) -> Result<Value, String>),
        (COUNT, count),
        (LOOP, turns),
    ] {
        let any = FuncDef::builder().variadic_param(ParamType::Any);
        context.declare_func(name, any.build(function));
    }
}

/// Evaluates while values are counted, and says how much there is then. The
/// values are let go of afterwards.
pub(super) fn metered<T>(
    values: Vec<Arc<Value>>,
    produced: usize,
    evaluate: impl FnOnce() -> T,
) -> (T, usize) {
    struct Cleared;

    impl Drop for Cleared {
        fn drop(&mut self) {
            METER.with_borrow_mut(|meter| meter.values.clear());
        }
    }

    METER.set(Meter { values, produced });
    let _cleared = Cleared;
    let result = evaluate();
    (result, METER.with_borrow(|meter| meter.produced))
}

fn value(arguments: FuncArgs) -> Result<Value, String> {
    let numbers = arguments.into_values();
    let (number, times) = (number(numbers.first()), number(numbers.get(1)));
    let value = METER.with_borrow(|meter| meter.values.get(number).cloned());
    let value = value.ok_or("there is no such value")?;
    produce(size(&value).saturating_mul(times))?;
    Ok(Value::clone(&value))
}

fn count(arguments: FuncArgs) -> Result<Value, String> {
    let mut values = arguments.into_values().into_iter();
    let value = values.next().unwrap_or_default();
    let times = number(values.next().as_ref());
    produce(size(&value).saturating_mul(times))?;
    Ok(value)
}

fn turns(arguments: FuncArgs) -> Result<Value, String> {
    let mut values = arguments.into_values().into_iter();
    let collection = values.next().unwrap_or_default();
    let turns = match &collection {
        Value::Array(elements) => elements.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    produce(turns.saturating_mul(number(values.next().as_ref())))?;
    Ok(collection)
}

fn number(value: Option<&Value>) -> usize {
    let number = value.and_then(Value::as_u64);
    number
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or(usize::MAX)
}

fn produce(size: usize) -> Result<(), String> {
    METER.with_borrow_mut(|meter| {
        meter.produced = meter.produced.saturating_add(size);
        if meter.produced > MAXIMUM_PRODUCED {
            return Err(format!(
                "expressions produce more than {MAXIMUM_PRODUCED} bytes: here values are repeated too often"
            ));
        }
        Ok(())
    })
}

fn size(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(size).sum(),
        Value::Object(fields) => {
            let sizes = fields
                .iter()
                .map(|(name, field)| VALUE_SIZE + name.len() + size(field));
            sizes.sum()
        }
    };
    VALUE_SIZE + inside
}
