//! Why a guest did not come to its end.

use wasmtime::{Store, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use super::state::State;
use crate::guest_text;
use crate::limits::{Limit, LimitExceeded};

/// A guest was stopped, or stopped itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It wanted more than it may have.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// It trapped.
    #[error("it trapped: {reason}{}", in_function(function.as_deref()))]
    Trap {
        /// What happened.
        reason: String,
        /// The guest's own function, where the file has names.
        function: Option<String>,
    },
    /// The host could not run it.
    #[error("it cannot run: {0}")]
    Internal(String),
}

fn in_function(function: Option<&str>) -> String {
    function.map_or_else(String::new, |name| format!(", in its function {name}"))
}

impl Fault {
    pub(crate) fn internal(error: &wasmtime::Error) -> Self {
        Self::Internal(guest_text::fit(&error.root_cause().to_string()))
    }

    /// Tells why a call into a guest failed.
    pub(crate) fn of(error: &wasmtime::Error, store: &Store<State>) -> Self {
        if let Some(exceeded) = error.downcast_ref::<LimitExceeded>() {
            return Self::Limit(exceeded.clone());
        }
        let meter = &store.data().meter;
        if let Some(exceeded) = meter.exceeded() {
            return Self::Limit(exceeded.clone());
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => Self::Limit(meter.exceeded_without_value(Limit::Fuel)),
            Some(Trap::Interrupt) => Self::Limit(meter.exceeded_without_value(Limit::Deadline)),
            Some(trap) => Self::Trap {
                reason: describe(*trap),
                function: error.downcast_ref().and_then(innermost_function),
            },
            None => Self::Trap {
                reason: match error.downcast_ref::<I32Exit>() {
                    Some(I32Exit(status)) => format!("it called exit, with the status {status}"),
                    None => store.data().fit(&error.root_cause().to_string()),
                },
                function: error.downcast_ref().and_then(innermost_function),
            },
        }
    }
}

fn describe(trap: Trap) -> String {
    match trap {
        Trap::StackOverflow => "call stack exhausted".to_owned(),
        Trap::UnreachableCodeReached => {
            "it reached code that it declared unreachable (a panic or an abort)".to_owned()
        }
        other => other
            .to_string()
            .trim_start_matches("wasm trap: ")
            .to_owned(),
    }
}

fn innermost_function(backtrace: &WasmBacktrace) -> Option<String> {
    let named = backtrace
        .frames()
        .iter()
        .find_map(|frame| frame.func_name())?;
    Some(guest_text::fit(&rustc_name(named)))
}

/// Rust's mangled names, made readable.
fn rustc_name(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}
