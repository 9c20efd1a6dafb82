//! Stored metadata: absent, valid, invalid.

use super::{Outcome, Suite, Test, Trial, fails, judged, told, without_decryption};
use crate::case::{MetadataCase, bytes};
use crate::check::Finding;
use crate::subject::{FailureKind, Observed, Provided};

pub(super) const TESTS: [Test; 4] = [
    fails(
        Suite::Metadata,
        "metadata/absent",
        "Without metadata there is no error and no decryption key: nothing is there to decrypt.",
        absent,
    ),
    fails(
        Suite::Metadata,
        "metadata/valid",
        "Valid metadata gives a decryption key and no error.",
        valid,
    ),
    fails(
        Suite::Metadata,
        "metadata/known-keys",
        "Metadata whose key is known gives that very key: old data still opens.",
        known_keys,
    ),
    fails(
        Suite::Metadata,
        "metadata/invalid",
        "Invalid metadata ends in exactly invalid-metadata: neither in another error nor in silence.",
        invalid,
    ),
];

/// Runs the chosen cases; the judge answers what was expected where it is not
/// satisfied.
fn check(
    trial: &Trial<'_>,
    chosen: impl Fn(&MetadataCase) -> bool,
    judge: impl Fn(&MetadataCase, &Observed<Provided>) -> Option<(String, String)>,
) -> Outcome {
    let cases = match trial.cases() {
        Ok(cases) => cases,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for case in cases.metadata.iter().filter(|case| chosen(case)) {
        looked_at += 1;
        let settings = match trial.settings(&case.attributes) {
            Ok(settings) => settings,
            Err(failure) => {
                findings.push(Finding::new(
                    case.name.as_str(),
                    "attributes that decode",
                    failure.message,
                ));
                continue;
            }
        };
        let settings = match &case.metadata {
            None => without_decryption(&settings),
            Some(_) => settings,
        };
        let observed = trial.subject.provide(&settings, case.metadata.as_deref());
        if let Some((expected, came)) = judge(case, &observed) {
            findings.push(Finding::new(case.name.as_str(), expected, came));
        }
    }
    judged(findings, format!("{looked_at} cases"))
}

fn absent(trial: &Trial<'_>) -> Outcome {
    let judge = |_: &MetadataCase, observed: &Observed<Provided>| {
        let came = match &observed.result {
            // Such a provider cannot know whether there is something to decrypt.
            Ok(provided) if provided.keys.decryption_key.is_none() || !provided.keeps_metadata => {
                return None;
            }
            Ok(_) => "a decryption key".to_owned(),
            Err(_) => told(observed),
        };
        Some(("an encryption key alone".to_owned(), came))
    };
    check(trial, |case| case.metadata.is_none(), judge)
}

fn valid(trial: &Trial<'_>) -> Outcome {
    let judge = |_: &MetadataCase, observed: &Observed<Provided>| {
        let came = match &observed.result {
            Ok(provided) if provided.keys.decryption_key.is_some() => return None,
            Ok(_) => "no decryption key".to_owned(),
            Err(_) => told(observed),
        };
        Some(("a decryption key".to_owned(), came))
    };
    check(trial, |case| case.metadata.is_some() && case.valid, judge)
}

fn known_keys(trial: &Trial<'_>) -> Outcome {
    let judge = |case: &MetadataCase, observed: &Observed<Provided>| {
        let expected = bytes(case.decryption_key.as_deref()?);
        // What gives no key at all is told by the check above.
        let came = observed
            .result
            .as_ref()
            .ok()?
            .keys
            .decryption_key
            .as_ref()?;
        (*came != expected).then(|| (hex::encode(&expected), hex::encode(came)))
    };
    check(
        trial,
        |case| case.valid && case.decryption_key.is_some(),
        judge,
    )
}

fn invalid(trial: &Trial<'_>) -> Outcome {
    let judge = |_: &MetadataCase, observed: &Observed<Provided>| match &observed.result {
        Err(failure) if failure.kind == FailureKind::InvalidMetadata => None,
        _ => Some(("invalid-metadata".to_owned(), told(observed))),
    };
    check(trial, |case| case.metadata.is_some() && !case.valid, judge)
}
