//! Imports, memory and instructions.

use super::{Outcome, Suite, Test, Trial, fails, judged, with_decryption};
use crate::check::Finding;
use crate::subject::Provided;

pub(super) const TESTS: [Test; 3] = [
    fails(
        Suite::Limits,
        "limits/imports",
        "The component imports the contract, and WASI at most: what else it wants, no operator has vetted.",
        imports,
    ),
    fails(
        Suite::Limits,
        "limits/memory",
        "The component gets along with little memory, so that many run side by side.",
        memory,
    ),
    fails(
        Suite::Limits,
        "limits/fuel",
        "The component gets along with few instructions, so that nobody waits for it.",
        fuel,
    ),
];

fn imports(trial: &Trial<'_>) -> Outcome {
    let allowed = |import: &&String| import.starts_with("keyhost:plugin/") || is_shut_wasi(import);
    let imports = trial.subject.imports();
    let others = imports.iter().filter(|import| !allowed(import));
    let findings = others.map(|import| {
        Finding::new(
            import.as_str(),
            "keyhost:plugin, or WASI without network",
            "an import",
        )
    });
    judged(findings.collect(), imports.join(", "))
}

fn is_shut_wasi(import: &str) -> bool {
    [
        "wasi:cli/",
        "wasi:clocks/",
        "wasi:filesystem/",
        "wasi:io/",
        "wasi:random/",
        "wasi:sockets/",
    ]
    .iter()
    .any(|package| import.starts_with(package))
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
