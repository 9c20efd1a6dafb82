//! Whether the author wrote the cases that matter: OpenTofu's rules.

use super::{Outcome, Suite, Test, Trial, fails, only, warns};
use crate::case::Cases;
use crate::check::Finding;
use crate::subject::Kind;

pub(super) const TESTS: [Test; 10] = [
    fails(
        Suite::Completeness,
        "completeness/case-file",
        "There is a case file: without one nothing of the author's promises is judged.",
        case_file,
    ),
    fails(
        Suite::Completeness,
        "completeness/invalid-hcl",
        "At least one HCL case does not decode, to show that wrong blocks are refused.",
        |trial| {
            needs(trial, "an HCL case with valid = false", |cases| {
                cases.hcl.iter().any(|case| !case.valid)
            })
        },
    ),
    fails(
        Suite::Completeness,
        "completeness/invalid-build",
        "At least one HCL case decodes and does not build, to show that wrong values are refused.",
        |trial| {
            needs(
                trial,
                "an HCL case with valid = true and valid_build = false",
                |cases| cases.hcl.iter().any(|case| case.valid && !case.valid_build),
            )
        },
    ),
    fails(
        Suite::Completeness,
        "completeness/valid-hcl",
        "At least one HCL case decodes and builds.",
        |trial| {
            needs(
                trial,
                "an HCL case with valid = true and valid_build = true",
                |cases| cases.hcl.iter().any(|case| case.valid && case.valid_build),
            )
        },
    ),
    only(
        Kind::KeyProvider,
        fails(
            Suite::Completeness,
            "completeness/absent-metadata",
            "At least one metadata case has no metadata, to show that first calls work.",
            |trial| {
                needs(trial, "a metadata case without metadata", |cases| {
                    cases.metadata.iter().any(|case| case.metadata.is_none())
                })
            },
        ),
    ),
    only(
        Kind::KeyProvider,
        fails(
            Suite::Completeness,
            "completeness/provide",
            "There is a provide case: keys are what a provider is for.",
            |trial| needs(trial, "a provide case", |cases| cases.provide.is_some()),
        ),
    ),
    only(
        Kind::KeyProvider,
        warns(
            Suite::Completeness,
            "completeness/invalid-metadata",
            "A provider that keeps metadata has a case of invalid metadata.",
            |trial| {
                wants(trial, "a metadata case with valid = false", |cases| {
                    cases
                        .metadata
                        .iter()
                        .any(|case| case.metadata.is_some() && !case.valid)
                })
            },
        ),
    ),
    only(
        Kind::KeyProvider,
        warns(
            Suite::Completeness,
            "completeness/valid-metadata",
            "A provider that keeps metadata has a case of valid metadata.",
            |trial| {
                wants(trial, "a metadata case with valid = true", |cases| {
                    cases
                        .metadata
                        .iter()
                        .any(|case| case.metadata.is_some() && case.valid)
                })
            },
        ),
    ),
    only(
        Kind::CredentialsHelper,
        fails(
            Suite::Completeness,
            "completeness/helper",
            "There is a helper case: tokens are what a credentials helper is for.",
            |trial| needs(trial, "a helper case", |cases| cases.helper.is_some()),
        ),
    ),
    only(
        Kind::EphemeralResource,
        fails(
            Suite::Completeness,
            "completeness/ephemeral",
            "There is an ephemeral case: values are what an ephemeral resource is for.",
            |trial| {
                needs(trial, "an ephemeral case", |cases| {
                    cases.ephemeral.is_some()
                })
            },
        ),
    ),
];

fn case_file(trial: &Trial<'_>) -> Outcome {
    if trial.cases.is_some() {
        return Outcome::Passed("1 case file".to_owned());
    }
    let expected = "NAME.compliance.toml beside NAME.wasm, or --cases FILE";
    Outcome::Failed(vec![Finding::new("the component", expected, "none")])
}

fn needs(trial: &Trial<'_>, expected: &str, has: impl Fn(&Cases) -> bool) -> Outcome {
    match trial.cases() {
        Ok(cases) if has(cases) => Outcome::Passed(expected.to_owned()),
        Ok(_) => Outcome::Failed(vec![Finding::new("the case file", expected, "none")]),
        Err(outcome) => outcome,
    }
}

/// A warning, and only for providers that keep metadata.
fn wants(trial: &Trial<'_>, expected: &str, has: impl Fn(&Cases) -> bool) -> Outcome {
    let keeps_metadata = trial
        .first_answer()
        .is_ok_and(|(_, first)| first.keeps_metadata);
    match trial.cases() {
        Ok(cases) if has(cases) || !keeps_metadata => Outcome::Passed(expected.to_owned()),
        Ok(_) => Outcome::Warned(vec![Finding::new("the case file", expected, "none")]),
        Err(outcome) => outcome,
    }
}
