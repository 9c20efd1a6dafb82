//! Interpreters live within the limits, and the host names the one they meet.

use keyhost::key_provider::metadata::Purpose;

use crate::support::{built, provide};

const ATTRIBUTES: &str = "passphrase = \"correct horse battery staple\"\niterations = 200000";

/// Asserts that a language's component meets a limit, and that the error names
/// the limit, its value and the setting.
#[track_caller]
fn assert_meets(language: &str, limit: &str, value: &str, told: &str) {
    let components = built();
    let Some((_, path)) = components.iter().find(|(name, _)| *name == language) else {
        return;
    };
    let more = format!("limits {{\n{limit} = {value}\n}}");
    let error = provide(path, &more, ATTRIBUTES, &Purpose::Encrypt).expect_err("met no limit");
    let text = error.to_string();
    for part in [
        format!("the limit {limit} of {told}"),
        format!("limits {{ {limit} = "),
    ] {
        assert!(text.contains(&part), "{language}: {text}");
    }
}

#[test]
fn an_interpreter_that_needs_more_memory_is_told_so() {
    assert_meets("Python", "memory", "\"8MiB\"", "8388608 bytes");
    assert_meets("JavaScript", "memory", "\"1MiB\"", "1048576 bytes");
}

#[test]
fn an_interpreter_that_needs_more_fuel_is_told_so() {
    for language in ["Python", "JavaScript"] {
        assert_meets(language, "fuel", "10000", "10000");
    }
}

#[test]
fn half_the_memory_and_a_tenth_of_the_fuel_are_enough() {
    for (language, path) in built() {
        let more = "limits {\nmemory = \"32MiB\"\nfuel = 100000000\n}";
        provide(&path, more, ATTRIBUTES, &Purpose::Encrypt).expect(language);
    }
}
