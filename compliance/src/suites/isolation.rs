//! State where none may be.

use std::thread;

use super::{Outcome, Suite, Test, Trial, fails, judged, through_json, told, with_decryption};
use crate::check::Finding;
use crate::subject::{Observed, Provided, Settings};

pub(super) const TESTS: [Test; 2] = [
    fails(
        Suite::Isolation,
        "isolation/same-instance",
        "Calls in one instance answer as each would alone: nothing is kept from one call to the next.",
        same_instance,
    ),
    fails(
        Suite::Isolation,
        "isolation/side-by-side",
        "Instances that run side by side answer as each would alone.",
        side_by_side,
    ),
];

/// What must be the same whoever asks: the decryption key, or the error.
fn essence(observed: &Observed<Provided>) -> Result<Option<Vec<u8>>, String> {
    match &observed.result {
        Ok(provided) => Ok(provided.keys.decryption_key.clone()),
        Err(_) => Err(told(observed)),
    }
}

/// What an answer is told as, without the key.
fn named(essence: &Result<Option<Vec<u8>>, String>) -> String {
    match essence {
        Ok(Some(_)) => "a decryption key".to_owned(),
        Ok(None) => "no decryption key".to_owned(),
        Err(error) => error.clone(),
    }
}

fn differs(
    case: &str,
    alone: &Result<Option<Vec<u8>>, String>,
    came: &Result<Option<Vec<u8>>, String>,
) -> Option<Finding> {
    if alone == came {
        return None;
    }
    let expected = format!("as alone: {}", named(alone));
    let other = if named(alone) == named(came) {
        "another key".to_owned()
    } else {
        named(came)
    };
    Some(Finding::new(case, expected, other))
}

fn same_instance(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let settings = with_decryption(&settings);
    let stored = through_json(&first);
    let own = stored.as_deref();
    let sequence = [own, Some("{}"), own, None, own];
    let together = trial.subject.provide_each(&settings, &sequence);
    let mut findings = Vec::new();
    for (call, (metadata, observed)) in sequence.iter().zip(&together).enumerate() {
        let alone = essence(&trial.subject.provide(&settings, *metadata));
        let case = format!("call {} in one instance", call + 1);
        findings.extend(differs(&case, &alone, &essence(observed)));
    }
    judged(findings, format!("{} calls", together.len()))
}

fn side_by_side(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let own = with_decryption(&settings);
    let mut other = own.clone();
    for (_, secret) in &mut other.secrets {
        secret.reverse();
    }
    let stored = through_json(&first);
    let ask = |settings: &Settings| essence(&trial.subject.provide(settings, stored.as_deref()));
    let alone = [ask(&own), ask(&other)];
    let mut findings = Vec::new();
    for _ in 0..3 {
        let came = thread::scope(|scope| {
            let threads = [scope.spawn(|| ask(&own)), scope.spawn(|| ask(&other))];
            threads.map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err("a panic of the host".to_owned()))
            })
        });
        for (alone, came) in alone.iter().zip(&came) {
            findings.extend(differs("two instances", alone, came));
        }
    }
    judged(findings, "3 pairs")
}
