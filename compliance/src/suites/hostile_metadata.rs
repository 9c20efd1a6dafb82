//! Metadata that an attacker wrote, made from the component's own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{HostileAnswer, Outcome, Suite, Test, Trial, fails, with_decryption};
use crate::check::Finding;
use crate::mutate::Mutator;
use crate::subject::{Failure, FailureKind};

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

/// Judges every answer; the judge says what was expected and what came where it
/// is not satisfied.
fn check(
    trial: &Trial<'_>,
    judge: impl Fn(&Result<bool, Failure>) -> Option<(String, String)>,
) -> Outcome {
    let answers = match trial.hostile.get_or_init(|| ask(trial)) {
        Ok(answers) => answers,
        Err(outcome) => return outcome.clone(),
    };
    let mut findings: Vec<_> = answers
        .iter()
        .filter_map(|HostileAnswer { shown, answer }| {
            let (expected, came) = judge(answer)?;
            Some(Finding::new(shown.as_str(), expected, came))
        })
        .collect();
    let found = findings.len();
    if found == 0 {
        let seed = trial.options.seed;
        return Outcome::Passed(format!("{} inputs, seed {seed}", answers.len()));
    }
    findings.truncate(MAXIMUM_FINDINGS);
    if found > MAXIMUM_FINDINGS {
        let more = format!("{} more inputs", found - MAXIMUM_FINDINGS);
        findings.push(Finding::new(more, "the same", "the like"));
    }
    Outcome::Failed(findings)
}

/// Feeds hostile metadata to the component, on all processors.
fn ask(trial: &Trial<'_>) -> Result<Vec<HostileAnswer>, Outcome> {
    let (settings, first) = trial.first_answer()?;
    let Some(own) = first.metadata.filter(|_| first.keeps_metadata) else {
        return Err(Outcome::Passed("the provider keeps no metadata".to_owned()));
    };
    let texts = Mutator::new(trial.options.seed, &own).texts(trial.options.hostile_inputs);
    let settings = with_decryption(&settings);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut answers = Vec::new();
        while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = trial.subject.provide(&settings, Some(text)).result;
            answers.push(HostileAnswer {
                shown: shown(text),
                answer: answer.map(|provided| provided.keys.decryption_key.is_some()),
            });
        }
        answers
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    Ok(thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        let ended = running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| vec![panicked()]));
        ended.flatten().collect()
    }))
}

fn panicked() -> HostileAnswer {
    HostileAnswer {
        shown: "some metadata".to_owned(),
        answer: Err(Failure {
            kind: FailureKind::Trap,
            message: "the host panicked".to_owned(),
        }),
    }
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
    check(trial, |answer| match answer {
        Err(failure) if failure.kind == FailureKind::Trap => {
            Some(("no trap".to_owned(), failure.message.clone()))
        }
        _ => None,
    })
}

fn typed_answer(trial: &Trial<'_>) -> Outcome {
    check(trial, |answer| {
        let came = match answer {
            Ok(true) => return None,
            Ok(false) => "no decryption key and no error".to_owned(),
            Err(failure) => match failure.kind {
                // Traps are told by the check above.
                FailureKind::InvalidMetadata | FailureKind::Limit | FailureKind::Trap => {
                    return None;
                }
                kind => format!("{kind}: {}", failure.message),
            },
        };
        Some((
            "invalid-metadata, a met limit, or a decryption key".to_owned(),
            came,
        ))
    })
}
