//! For people.

use std::fmt::Write;

use super::{Verdict, reproduce};
use crate::check::{Finding, Judgement, Outcome, Suite};

/// The report as a text; coloured for a terminal.
pub fn render(verdicts: &[Verdict], strict: bool, coloured: bool) -> String {
    let paint = |colour: &str, text: &str| {
        if coloured {
            format!("\u{1b}[{colour}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    };
    let mut text = String::new();
    for verdict in verdicts {
        match &verdict.result {
            Err(reason) => {
                let label = paint("1;31", "REFUSED");
                let _ = writeln!(text, "{label} {reason}\n");
            }
            Ok(judgements) => {
                for judgement in judgements {
                    judgement_text(&mut text, verdict, judgement, &paint);
                }
            }
        }
    }
    summary(&mut text, verdicts);
    let held = verdicts
        .iter()
        .filter(|verdict| verdict.holds(strict))
        .count();
    let count = format!("{held} of {} components hold all checks", verdicts.len());
    let colour = if held == verdicts.len() {
        "1;32"
    } else {
        "1;31"
    };
    let _ = writeln!(text, "{}", paint(colour, &count));
    text
}

fn judgement_text(
    text: &mut String,
    verdict: &Verdict,
    judgement: &Judgement,
    paint: &dyn Fn(&str, &str) -> String,
) {
    let (label, findings): (String, &[Finding]) = match &judgement.outcome {
        Outcome::Failed(findings) => (paint("1;31", "FAILED"), findings),
        Outcome::Warned(findings) => (paint("1;33", "WARNING"), findings),
        Outcome::Passed(_) | Outcome::Skipped(_) => return,
    };
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "{label} {} of {}\n  {}",
        judgement.check.id, verdict.component, judgement.check.demand
    );
    for Finding {
        case,
        expected,
        came,
    } in findings
    {
        let _ = writeln!(
            text,
            "  - {case}\n      expected: {expected}\n      came:     {came}"
        );
    }
    let _ = writeln!(text, "  alone: {}\n", reproduce(verdict, judgement));
}

/// Components by suites: how many checks hold.
fn summary(text: &mut String, verdicts: &[Verdict]) {
    let width = verdicts
        .iter()
        .map(|verdict| verdict.component.chars().count())
        .max()
        .unwrap_or(0);
    // Components of one kind are judged by a part of the suites.
    let judged = |suite: &Suite| {
        let mut results = verdicts
            .iter()
            .filter_map(|verdict| verdict.result.as_ref().ok());
        results.any(|judgements| {
            let mut suites = judgements.iter().map(|judgement| judgement.check.suite);
            suites.any(|other| other == *suite)
        })
    };
    let suites: Vec<_> = Suite::ALL.into_iter().filter(judged).collect();
    let _ = write!(text, "{:width$}", "");
    for suite in &suites {
        let _ = write!(text, "  {}", suite.name());
    }
    text.push('\n');
    for verdict in verdicts {
        let _ = write!(text, "{:width$}", verdict.component);
        for suite in &suites {
            let cell = match &verdict.result {
                Err(_) => "-".to_owned(),
                Ok(judgements) => cell(judgements, *suite),
            };
            let _ = write!(text, "  {cell:>width$}", width = suite.name().len());
        }
        text.push('\n');
    }
    text.push('\n');
}

fn cell(judgements: &[Judgement], suite: Suite) -> String {
    let of_suite = || {
        judgements
            .iter()
            .filter(|judgement| judgement.check.suite == suite)
    };
    let (all, failed) = (
        of_suite().count(),
        of_suite()
            .filter(|judgement| matches!(judgement.outcome, Outcome::Failed(_)))
            .count(),
    );
    let skipped = of_suite()
        .filter(|judgement| matches!(judgement.outcome, Outcome::Skipped(_)))
        .count();
    match (all, failed) {
        (0, _) => "-".to_owned(),
        (all, _) if skipped == all => "skipped".to_owned(),
        (all, 0) => format!("{}/{all}", all - skipped),
        (all, failed) => format!("{}/{all} ✗", all - skipped - failed),
    }
}
