//! Configurations that build, and that do not.

use super::{Outcome, Suite, Test, Trial, fails, judged, told};
use crate::case::Cases;
use crate::check::Finding;
use crate::subject::{Failure, FailureKind, Settings, Syntax};

pub(super) const TESTS: [Test; 2] = [
    fails(
        Suite::Build,
        "build/valid",
        "Each valid configuration builds a provider.",
        valid,
    ),
    fails(
        Suite::Build,
        "build/invalid",
        "Each invalid configuration ends in exactly invalid-configuration, so that users are told that it is theirs to mend.",
        invalid,
    ),
];

/// A configuration by name, and whether it is to build.
type Configuration<'a> = (&'a str, bool, Result<Settings, Failure>);

/// Every configuration that decodes, or is to.
fn configurations<'a>(trial: &Trial<'_>, cases: &'a Cases) -> Vec<Configuration<'a>> {
    let parsed = |syntax, cases: &'a [crate::case::ParseCase]| {
        let cases = cases.iter().filter(|case| case.valid);
        // What does not decode is told by the parsing suite.
        cases
            .filter_map(move |case| {
                let settings = trial.decode(syntax, &case.text).ok()?;
                Some((case.name.as_str(), case.valid_build, Ok(settings)))
            })
            .collect::<Vec<_>>()
    };
    let built = cases.config.iter().map(|case| {
        (
            case.name.as_str(),
            case.valid_build,
            trial.settings(&case.attributes),
        )
    });
    let mut all = parsed(Syntax::Hcl, &cases.hcl);
    all.extend(parsed(Syntax::Json, &cases.json));
    all.extend(built);
    all
}

fn check(trial: &Trial<'_>, wanted: bool) -> Outcome {
    let cases = match trial.cases() {
        Ok(cases) => cases,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for (name, valid, settings) in configurations(trial, cases) {
        if valid != wanted {
            continue;
        }
        looked_at += 1;
        let expected = if valid {
            "a provider"
        } else {
            "invalid-configuration"
        };
        let settings = match settings {
            Ok(settings) => settings,
            Err(failure) => {
                findings.push(Finding::new(name, expected, failure.message));
                continue;
            }
        };
        let built = trial.subject.build(&settings);
        let right = match &built.result {
            Ok(()) => valid,
            Err(failure) => !valid && failure.kind == FailureKind::InvalidConfiguration,
        };
        if !right {
            findings.push(Finding::new(name, expected, told(&built)));
        }
    }
    judged(findings, format!("{looked_at} configurations"))
}

fn valid(trial: &Trial<'_>) -> Outcome {
    check(trial, true)
}

fn invalid(trial: &Trial<'_>) -> Outcome {
    check(trial, false)
}
