//! Keys: first calls, round trips, and the same key again.

use serde_json::Value;

use super::{
    Outcome, Suite, Test, Trial, fails, judged, through_json, told, with_decryption,
    without_decryption,
};
use crate::case::bytes;
use crate::check::Finding;

pub(super) const TESTS: [Test; 6] = [
    fails(
        Suite::Provide,
        "provide/first-call",
        "A first call gives an encryption key, and metadata exactly where the provider keeps some.",
        first_call,
    ),
    fails(
        Suite::Provide,
        "provide/round-trip",
        "On a second instance, metadata that went through JSON gives the key that encrypted as the key that decrypts.",
        round_trip,
    ),
    fails(
        Suite::Provide,
        "provide/key-length",
        "Both keys have the promised length, or a cipher refuses them.",
        key_length,
    ),
    fails(
        Suite::Provide,
        "provide/expected-key",
        "A provider whose key is always the same gives the promised one.",
        expected_key,
    ),
    fails(
        Suite::Provide,
        "provide/fresh-metadata",
        "Every call makes fresh metadata, such as a salt, so that no key encrypts for ever.",
        fresh_metadata,
    ),
    fails(
        Suite::Provide,
        "provide/same-key",
        "The same metadata gives the same decryption key ten times.",
        same_key,
    ),
];

/// How often the same metadata is fed back.
const REPETITIONS: usize = 10;

fn first_call(trial: &Trial<'_>) -> Outcome {
    let settings = match trial.provide_settings() {
        Ok(settings) => settings,
        Err(outcome) => return outcome,
    };
    let observed = trial.subject.provide(&without_decryption(&settings), None);
    let finding = |expected: &str, came: &str| {
        Outcome::Failed(vec![Finding::new("the provide case", expected, came)])
    };
    match &observed.result {
        Err(_) => finding("keys", &told(&observed)),
        Ok(provided) if provided.keys.encryption_key.is_empty() => {
            finding("an encryption key", "an empty one")
        }
        Ok(provided) => match (&provided.metadata, provided.keeps_metadata) {
            (None, true) => finding("metadata, since the provider keeps some", "none"),
            (Some(_), false) => finding("no metadata, since the provider keeps none", "some"),
            (Some(text), true) if !is_object(text) => {
                finding("metadata that is a JSON object", text)
            }
            _ => Outcome::Passed("1 call".to_owned()),
        },
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

fn round_trip(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let metadata = through_json(&first);
    if first.keeps_metadata && metadata.is_none() {
        return Outcome::Skipped("the first call gave no metadata".to_owned());
    }
    let second = trial
        .subject
        .provide(&with_decryption(&settings), metadata.as_deref());
    let came = match &second.result {
        Ok(provided) => match &provided.keys.decryption_key {
            Some(key) if *key == first.keys.encryption_key => {
                return Outcome::Passed("2 instances".to_owned());
            }
            Some(_) => "another key".to_owned(),
            None => "no decryption key".to_owned(),
        },
        Err(_) => told(&second),
    };
    let expected = "the first encryption key as decryption key";
    Outcome::Failed(vec![Finding::new("the provide case", expected, came)])
}

fn key_length(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let Some(case) = trial.cases.and_then(|cases| cases.provide.as_ref()) else {
        return Outcome::Skipped("the case file has no provide case".to_owned());
    };
    let second = trial
        .subject
        .provide(&with_decryption(&settings), first.metadata.as_deref());
    let decryption_key = second
        .result
        .ok()
        .and_then(|provided| provided.keys.decryption_key);
    let keys = [
        ("encryption", Some(first.keys.encryption_key)),
        ("decryption", decryption_key),
    ];
    let mut findings = Vec::new();
    for (which, key) in keys {
        // A key that does not come at all is told by the round trip.
        let length = key.map_or(case.key_length, |key| key.len());
        if length != case.key_length {
            let case_name = format!("the {which} key");
            findings.push(Finding::new(
                case_name,
                format!("{} bytes", case.key_length),
                format!("{length} bytes"),
            ));
        }
    }
    judged(findings, format!("{} bytes", case.key_length))
}

fn expected_key(trial: &Trial<'_>) -> Outcome {
    let (_, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let expected = trial
        .cases
        .and_then(|cases| cases.provide.as_ref()?.encryption_key.as_deref());
    let Some(expected) = expected else {
        return Outcome::Passed("no key is promised".to_owned());
    };
    if bytes(expected) == first.keys.encryption_key {
        return Outcome::Passed("1 key".to_owned());
    }
    let came = hex::encode(&first.keys.encryption_key);
    Outcome::Failed(vec![Finding::new("the provide case", expected, came)])
}

fn fresh_metadata(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let promised = trial
        .cases
        .and_then(|cases| cases.provide.as_ref())
        .is_some_and(|case| case.fresh_metadata);
    if !promised || first.metadata.is_none() {
        return Outcome::Passed("no fresh metadata is promised".to_owned());
    }
    let mut seen = vec![first.metadata];
    for call in 2..=4 {
        let again = trial.subject.provide(&without_decryption(&settings), None);
        let Ok(provided) = again.result else { continue };
        if seen.contains(&provided.metadata) {
            let came = "the metadata of an earlier call";
            return Outcome::Failed(vec![Finding::new(
                format!("call {call}"),
                "new metadata",
                came,
            )]);
        }
        seen.push(provided.metadata);
    }
    Outcome::Passed(format!("{} calls", seen.len()))
}

fn same_key(trial: &Trial<'_>) -> Outcome {
    let (settings, first) = match trial.first_answer() {
        Ok(answer) => answer,
        Err(outcome) => return outcome,
    };
    let settings = with_decryption(&settings);
    let key = |_| {
        let again = trial.subject.provide(&settings, first.metadata.as_deref());
        again
            .result
            .ok()
            .and_then(|provided| provided.keys.decryption_key)
    };
    let keys: Vec<_> = (0..REPETITIONS).map(key).collect();
    // A key that never comes is told by the round trip.
    let mut findings = Vec::new();
    for (call, pair) in keys.windows(2).enumerate() {
        if pair[0] != pair[1] {
            let case = format!("call {}", call + 2);
            findings.push(Finding::new(case, "the key of the call before", "another"));
        }
    }
    judged(findings, format!("{REPETITIONS} calls"))
}
