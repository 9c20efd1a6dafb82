//! Imports, memory and instructions.

use super::{Outcome, Suite, Test, Trial, fails, only, warns, with_decryption};
use crate::check::Finding;
use crate::subject::{Kind, Provided};

pub(super) const TESTS: [Test; 3] = [
    warns(
        Suite::Limits,
        "limits/imports",
        "The component imports the contract alone, and a storage where it needs one: other WASI is shut and costs time and memory; all else is refused before it runs.",
        imports,
    ),
    only(
        Kind::KeyProvider,
        fails(
            Suite::Limits,
            "limits/memory",
            "The component gets along with little memory, so that many run side by side.",
            memory,
        ),
    ),
    only(
        Kind::KeyProvider,
        fails(
            Suite::Limits,
            "limits/fuel",
            "The component gets along with few instructions, so that nobody waits for it.",
            fuel,
        ),
    ),
];

fn imports(trial: &Trial<'_>) -> Outcome {
    let imports = trial.subject.imports();
    let others = imports.iter().filter(|import| {
        !import.starts_with("keyhost:plugin/") && !import.starts_with("wasi:keyvalue/")
    });
    let findings: Vec<_> = others
        .map(|import| Finding::new(import.as_str(), "keyhost:plugin alone", "an import"))
        .collect();
    if findings.is_empty() {
        return Outcome::Passed(imports.join(", "));
    }
    Outcome::Warned(findings)
}

fn check(trial: &Trial<'_>, what: &str, maximum: u64, used: impl Fn(&Provided) -> u64) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let second = trial
        .subject
        .provide(&with_decryption(&settings), first.metadata.as_deref());
    let most = second
        .result
        .iter()
        .map(&used)
        .chain([used(&first)])
        .max()
        .unwrap_or(0);
    if most > maximum {
        let expected = format!("at most {maximum} {what}");
        return Outcome::Failed(vec![Finding::new(
            "the provide case",
            expected,
            format!("{most} {what}"),
        )]);
    }
    Outcome::Passed(format!("{most} {what} of {maximum}"))
}

fn memory(trial: &Trial<'_>) -> Outcome {
    check(trial, "bytes", trial.options.memory, |provided| {
        provided.memory
    })
}

fn fuel(trial: &Trial<'_>) -> Outcome {
    check(trial, "instructions", trial.options.fuel, |provided| {
        provided.fuel
    })
}
