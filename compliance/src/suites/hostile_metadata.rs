//! Metadata that an attacker wrote, made from the component's own.

use std::thread;

use super::{Outcome, Suite, Test, Trial, fails, with_decryption};
use crate::check::Finding;
use crate::mutate::Mutator;
use crate::subject::{FailureKind, Observed, Provided, Settings};

pub(super) const TESTS: [Test; 2] = [
    fails(
        Suite::HostileMetadata,
        "hostile-metadata/no-trap",
        "Whatever the metadata is, the component does not trap: it is stored where anybody may change it.",
        no_trap,
    ),
    fails(
        Suite::HostileMetadata,
        "hostile-metadata/typed-answer",
        "Whatever the metadata is, the answer is invalid-metadata, a met limit, or a decryption key: never silence, never another error.",
        typed_answer,
    ),
];

/// The most findings that are told one by one.
const MAXIMUM_FINDINGS: usize = 5;

fn check(
    trial: &Trial<'_>,
    judge: impl Fn(&Observed<Provided>) -> Option<(String, String)> + Sync,
) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let Some(own) = first.metadata.filter(|_| first.keeps_metadata) else {
        return Outcome::Passed("the provider keeps no metadata".to_owned());
    };
    let texts = Mutator::new(trial.options.seed, &own).texts(trial.options.hostile_inputs);
    let settings = with_decryption(&settings);
    let mut findings = side_by_side(trial, &settings, &texts, &judge);
    let found = findings.len();
    if found == 0 {
        return Outcome::Passed(format!(
            "{} inputs, seed {}",
            texts.len(),
            trial.options.seed
        ));
    }
    findings.truncate(MAXIMUM_FINDINGS);
    if found > MAXIMUM_FINDINGS {
        let more = format!("{} more inputs", found - MAXIMUM_FINDINGS);
        findings.push(Finding::new(more, "the same", "the like"));
    }
    Outcome::Failed(findings)
}

fn side_by_side(
    trial: &Trial<'_>,
    settings: &Settings,
    texts: &[String],
    judge: &(impl Fn(&Observed<Provided>) -> Option<(String, String)> + Sync),
) -> Vec<Finding> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = |texts: &[String]| {
        let found = texts.iter().filter_map(|text| {
            let observed = trial.subject.provide(settings, Some(text));
            let (expected, came) = judge(&observed)?;
            Some(Finding::new(shown(text), expected, came))
        });
        found.collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let parts = texts.chunks(texts.len().div_ceil(threads));
        let running: Vec<_> = parts
            .map(|texts| scope.spawn(move || part(texts)))
            .collect();
        let ended = running.into_iter().map(|thread| {
            let panicked = |_| vec![Finding::new("the host", "an answer", "a panic")];
            thread.join().unwrap_or_else(panicked)
        });
        ended.flatten().collect()
    })
}

/// The beginning of an input, fit to be shown.
fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(160).collect();
    let more = if beginning.len() < text.len() {
        " …"
    } else {
        ""
    };
    format!("metadata {}{more}", beginning.escape_debug())
}

fn no_trap(trial: &Trial<'_>) -> Outcome {
    check(trial, |observed| match &observed.result {
        Err(failure) if failure.kind == FailureKind::Trap => {
            Some(("no trap".to_owned(), failure.message.clone()))
        }
        _ => None,
    })
}

fn typed_answer(trial: &Trial<'_>) -> Outcome {
    check(trial, |observed| {
        let came = match &observed.result {
            Ok(provided) if provided.keys.decryption_key.is_some() => return None,
            Ok(_) => "no decryption key and no error".to_owned(),
            Err(failure) => match failure.kind {
                FailureKind::InvalidMetadata | FailureKind::Limit => return None,
                // Told by the check above.
                FailureKind::Trap => return None,
                _ => super::told(observed),
            },
        };
        Some((
            "invalid-metadata, a met limit, or a decryption key".to_owned(),
            came,
        ))
    })
}
