//! For machines, version 1.

use serde_json::{Value, json};

use super::{Verdict, reproduce};
use crate::check::{Finding, Judgement, Outcome};

/// The report as JSON: `{"version": 1, "components": […]}`.
pub fn render(verdicts: &[Verdict], strict: bool) -> Value {
    let components: Vec<_> = verdicts
        .iter()
        .map(|verdict| component(verdict, strict))
        .collect();
    json!({ "version": 1, "components": components })
}

fn component(verdict: &Verdict, strict: bool) -> Value {
    match &verdict.result {
        Err(reason) => json!({ "component": verdict.component, "holds": false, "refused": reason }),
        Ok(judgements) => {
            let checks: Vec<_> = judgements
                .iter()
                .map(|judgement| check(verdict, judgement))
                .collect();
            json!({ "component": verdict.component, "holds": verdict.holds(strict), "checks": checks })
        }
    }
}

fn check(verdict: &Verdict, judgement: &Judgement) -> Value {
    let (outcome, detail, findings): (_, _, &[Finding]) = match &judgement.outcome {
        Outcome::Passed(detail) => ("passed", Some(detail), &[]),
        Outcome::Skipped(detail) => ("skipped", Some(detail), &[]),
        Outcome::Failed(findings) => ("failed", None, findings),
        Outcome::Warned(findings) => ("warning", None, findings),
    };
    let findings: Vec<_> = findings
        .iter()
        .map(
            |Finding {
                 case,
                 expected,
                 came,
             }| json!({ "case": case, "expected": expected, "came": came }),
        )
        .collect();
    json!({
        "id": judgement.check.id,
        "suite": judgement.check.suite.name(),
        "demand": judgement.check.demand,
        "outcome": outcome,
        "detail": detail,
        "findings": findings,
        "milliseconds": judgement.milliseconds,
        "reproduce": reproduce(verdict, judgement),
    })
}
