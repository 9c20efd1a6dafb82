//! Secrets where they do not belong. Every secret of a trial is made up: a
//! canary that may show nowhere.

use super::{Outcome, Suite, Test, Trial, fails, judged, with_decryption, without_decryption};
use crate::check::Finding;
use crate::leak::Needle;
use crate::subject::{Observed, Provided, Settings};

pub(super) const TESTS: [Test; 4] = [
    fails(
        Suite::Leaks,
        "leaks/metadata",
        "No secret shows in metadata, which is stored in the clear.",
        metadata,
    ),
    fails(
        Suite::Leaks,
        "leaks/errors",
        "No secret shows in an error, which is printed and kept.",
        errors,
    ),
    fails(
        Suite::Leaks,
        "leaks/log",
        "No secret shows in the log.",
        log,
    ),
    fails(
        Suite::Leaks,
        "leaks/descriptor",
        "No secret shows in the descriptor.",
        descriptor,
    ),
];

/// Metadata that provokes errors.
const BROKEN: [&str; 4] = [
    "{}",
    "{\"salt\":1,\"magic\":\"x\",\"iterations\":-1}",
    "[]",
    "x",
];

/// One call: its secrets, and what came out.
struct Call {
    name: &'static str,
    needles: Vec<Needle>,
    observed: Observed<Provided>,
}

/// Calls with the case's own secrets and with canaries in their place, that
/// succeed and that fail.
fn calls(trial: &Trial<'_>) -> Result<Vec<Call>, Outcome> {
    let settings = trial.provide_settings()?;
    let mut calls = Vec::new();
    let mut call = |name, settings: &Settings, metadata: Option<&str>| {
        let observed = trial.subject.provide(settings, metadata);
        let mut needles = needles(settings);
        if let Ok(provided) = &observed.result {
            let keys = [
                Some(&provided.keys.encryption_key),
                provided.keys.decryption_key.as_ref(),
            ];
            needles.extend(
                keys.into_iter()
                    .flatten()
                    .filter_map(|key| Needle::new("a key", key)),
            );
        }
        let metadata = observed
            .result
            .as_ref()
            .ok()
            .and_then(|provided| provided.metadata.clone());
        calls.push(Call {
            name,
            needles,
            observed,
        });
        metadata
    };
    for (settings, first, second, broken) in [
        (
            settings.clone(),
            "a first call",
            "a second call",
            "a call with broken metadata",
        ),
        (
            canaries(&settings),
            "a call with canaries",
            "a second call with canaries",
            "a failing call with canaries",
        ),
        (
            short(&settings),
            "a call with short canaries",
            "a second call with short canaries",
            "a failing call with short canaries",
        ),
    ] {
        let made = call(first, &without_decryption(&settings), None);
        let decrypting = with_decryption(&settings);
        call(second, &decrypting, made.as_deref());
        for metadata in BROKEN {
            call(broken, &decrypting, Some(metadata));
        }
    }
    Ok(calls)
}

fn needles(settings: &Settings) -> Vec<Needle> {
    let secrets = settings
        .secrets
        .iter()
        .filter_map(|(name, secret)| Needle::new(name, secret));
    let keys = settings.keys.iter().flat_map(|(name, keys)| {
        let keys = [Some(&keys.encryption_key), keys.decryption_key.as_ref()];
        keys.into_iter()
            .flatten()
            .filter_map(|key| Needle::new(name, key))
            .collect::<Vec<_>>()
    });
    secrets.chain(keys).collect()
}

/// The same settings with another text in the place of every secret.
fn canaries(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (number, (_, secret)) in settings.secrets.iter_mut().enumerate() {
        *secret = format!("canary-{number}-qJx7-Zw3k-Vp9m-Lt5r").into_bytes();
    }
    for (number, (_, keys)) in settings.keys.iter_mut().enumerate() {
        let byte = u8::try_from(number).unwrap_or(0);
        let own = keys.encryption_key.iter().enumerate();
        keys.encryption_key = own
            .map(|(at, _)| (at as u8).wrapping_mul(37) ^ 0xa5 ^ byte)
            .collect();
    }
    settings
}

/// Secrets too short to be accepted: errors about them are tempting.
fn short(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (_, secret) in &mut settings.secrets {
        *secret = b"kQ7~zW".to_vec();
    }
    for (_, keys) in &mut settings.keys {
        keys.encryption_key = vec![0xc3, 0x5a, 0x96, 0xe1, 0x2d, 0x78];
    }
    settings
}

/// Looks for every call's secrets in the chosen texts of it.
fn check(trial: &Trial<'_>, texts: impl Fn(&Observed<Provided>) -> Vec<String>) -> Outcome {
    let calls = match calls(trial) {
        Ok(calls) => calls,
        Err(outcome) => return outcome,
    };
    let mut findings: Vec<Finding> = Vec::new();
    for call in &calls {
        for text in texts(&call.observed) {
            let shown = call.needles.iter().find_map(|needle| needle.find(&text));
            let Some(shown) = shown else { continue };
            if findings.iter().all(|finding| finding.case != call.name) {
                findings.push(Finding::new(
                    call.name,
                    "no secret",
                    format!("the secret {shown}"),
                ));
            }
        }
    }
    judged(findings, format!("{} calls", calls.len()))
}

fn metadata(trial: &Trial<'_>) -> Outcome {
    check(trial, |observed| {
        observed
            .result
            .iter()
            .filter_map(|provided| provided.metadata.clone())
            .collect()
    })
}

fn errors(trial: &Trial<'_>) -> Outcome {
    check(trial, |observed| {
        observed
            .result
            .as_ref()
            .err()
            .map(|failure| failure.message.clone())
            .into_iter()
            .collect()
    })
}

fn log(trial: &Trial<'_>) -> Outcome {
    check(trial, |observed| observed.log.clone())
}

fn descriptor(trial: &Trial<'_>) -> Outcome {
    let (descriptor, settings) = match (trial.descriptor(), trial.provide_settings()) {
        (Ok(descriptor), Ok(settings)) => (descriptor, settings),
        (Err(outcome), _) | (_, Err(outcome)) => return outcome,
    };
    let text = format!("{descriptor:?}");
    let needles = needles(&settings);
    let shown = needles.iter().find_map(|needle| needle.find(&text));
    let finding =
        shown.map(|shown| Finding::new("describe", "no secret", format!("the secret {shown}")));
    judged(
        finding.into_iter().collect(),
        format!("{} secrets", needles.len()),
    )
}
