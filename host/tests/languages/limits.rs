//! Interpreters live within the limits, and the host names the one they meet.

use keyhost::key_provider::ProvideError;
use keyhost::key_provider::metadata::Purpose;
use keyhost::limits::Limit;
use keyhost::plugins::error::CallError;
use keyhost::sandbox::fault::Fault;

use crate::support::{built, provide};

const ATTRIBUTES: &str = "passphrase = \"correct horse battery staple\"\niterations = 200000";

/// The limit that a language's component meets; none where it was not built.
fn met(language: &str, limits: &str) -> Option<Limit> {
    let components = built();
    let (_, path) = components.iter().find(|(name, _)| *name == language)?;
    let more = format!("limits {{\n{limits}\n}}");
    let error = provide(path, &more, ATTRIBUTES, &Purpose::Encrypt).expect_err("met no limit");
    let message = error.to_string();
    let ProvideError::Call {
        cause: CallError::Fault(Fault::Limit(exceeded)),
        ..
    } = error
    else {
        panic!("{language}: no limit: {message}");
    };
    let name = exceeded.limit.name();
    assert!(
        message.contains(&format!("limits {{ {name} =")),
        "{message}"
    );
    Some(exceeded.limit)
}

#[test]
fn an_interpreter_that_needs_more_memory_is_told_so() {
    for (language, memory) in [("Python", "8MiB"), ("JavaScript", "1MiB")] {
        let limit = met(language, &format!("memory = \"{memory}\""));
        assert_eq!(limit.unwrap_or(Limit::Memory), Limit::Memory, "{language}");
    }
}

#[test]
fn an_interpreter_that_needs_more_fuel_is_told_so() {
    for language in ["Python", "JavaScript"] {
        let limit = met(language, "fuel = 10000");
        assert_eq!(limit.unwrap_or(Limit::Fuel), Limit::Fuel, "{language}");
    }
}

#[test]
fn half_the_memory_and_a_tenth_of_the_fuel_are_enough() {
    for (language, path) in built() {
        let more = "limits {\nmemory = \"32MiB\"\nfuel = 100000000\n}";
        provide(&path, more, ATTRIBUTES, &Purpose::Encrypt).expect(language);
    }
}
