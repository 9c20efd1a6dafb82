//! Configurations that decode, and that do not.

use super::{Outcome, Suite, Test, Trial, fails, judged};
use crate::case::ParseCase;
use crate::check::Finding;
use crate::subject::Syntax;

pub(super) const TESTS: [Test; 3] = [
    fails(
        Suite::Parsing,
        "parsing/hcl",
        "Each HCL case decodes exactly where it is valid: the descriptor says what its author thinks.",
        hcl,
    ),
    fails(
        Suite::Parsing,
        "parsing/json",
        "Each JSON case decodes exactly where it is valid: both syntaxes say the same.",
        json,
    ),
    fails(
        Suite::Parsing,
        "parsing/references",
        "A reference in JSON means the same with and without \"${…}\": users write both.",
        references,
    ),
];

fn hcl(trial: &Trial<'_>) -> Outcome {
    match trial.cases() {
        Ok(cases) => check(trial, Syntax::Hcl, &cases.hcl),
        Err(outcome) => outcome,
    }
}

fn json(trial: &Trial<'_>) -> Outcome {
    match trial.cases() {
        Ok(cases) => check(trial, Syntax::Json, &cases.json),
        Err(outcome) => outcome,
    }
}

fn check(trial: &Trial<'_>, syntax: Syntax, cases: &[ParseCase]) -> Outcome {
    let mut findings = Vec::new();
    for case in cases {
        let decoded = trial.decode(syntax, &case.text);
        if decoded.is_ok() == case.valid {
            continue;
        }
        let expected = if case.valid {
            "a valid block"
        } else {
            "an error"
        };
        let came = decoded
            .err()
            .map_or_else(|| "a valid block".to_owned(), |failure| failure.message);
        findings.push(Finding::new(case.name.as_str(), expected, came));
    }
    judged(findings, format!("{} cases", cases.len()))
}

fn references(trial: &Trial<'_>) -> Outcome {
    let cases = match trial.cases() {
        Ok(cases) => cases,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for case in cases.json.iter().filter(|case| case.valid) {
        for address in cases.keys.keys() {
            let (plain, template) = (format!("\"{address}\""), format!("\"${{{address}}}\""));
            let other = if case.text.contains(&template) {
                case.text.replace(&template, &plain)
            } else if case.text.contains(&plain) {
                case.text.replace(&plain, &template)
            } else {
                continue;
            };
            looked_at += 1;
            if let Err(failure) = trial.decode(Syntax::Json, &other) {
                let expected = format!("{address} in the other spelling, decoded");
                findings.push(Finding::new(case.name.as_str(), expected, failure.message));
            }
        }
    }
    judged(findings, format!("{looked_at} references"))
}
