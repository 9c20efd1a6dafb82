//! Tokens where they do not belong.

use super::credentials::{HOST, configured, stores};
use super::{Outcome, Suite, Test, Trial, fails, judged};
use crate::check::Finding;
use crate::leak::Needle;
use crate::subject::{Helper, Observed, Settings};

pub(super) const TESTS: [Test; 3] = [
    fails(
        Suite::CredentialsLeaks,
        "credentials-leaks/storage",
        "No token shows in the storage, neither in a key nor in a value: whoever reads the file learns none.",
        |trial| stores(trial, storage),
    ),
    fails(
        Suite::CredentialsLeaks,
        "credentials-leaks/errors",
        "No token shows in an error, which is printed and kept.",
        |trial| calls(trial, |call| call.error.as_deref().into_iter().collect()),
    ),
    fails(
        Suite::CredentialsLeaks,
        "credentials-leaks/log",
        "No token shows in the log.",
        |trial| calls(trial, |call| call.log.iter().map(String::as_str).collect()),
    ),
];

/// A token that stands nowhere by accident.
const CANARY: &str = "canary-7Ht2-Qz9x-token-of-a-host";

fn object() -> String {
    format!(r#"{{"token":"{CANARY}"}}"#)
}

fn storage(helper: &dyn Helper) -> Outcome {
    if helper.store(HOST, &object()).result.is_err() {
        return Outcome::Skipped("storing fails".to_owned());
    }
    let Some(needle) = Needle::new("the token", CANARY.as_bytes()) else {
        return Outcome::Skipped("the token is too short".to_owned());
    };
    let records = helper.records();
    let mut findings = Vec::new();
    for (key, value) in &records {
        if let Some(shows) = needle.find(key) {
            findings.push(Finding::new("a key", "no token", shows));
        }
        let bytes: String = value.iter().map(|byte| char::from(*byte)).collect();
        let texts = [String::from_utf8_lossy(value).into_owned(), bytes];
        if let Some(shows) = texts.iter().find_map(|text| needle.find(text)) {
            findings.push(Finding::new("a value", "no token", shows));
        }
    }
    judged(findings, format!("{} records", records.len()))
}

/// What a call told.
struct Call {
    name: &'static str,
    error: Option<String>,
    log: Vec<String>,
}

impl Call {
    fn of<T>(name: &'static str, observed: Observed<T>) -> Self {
        Self {
            name,
            error: observed.result.err().map(|failure| failure.message),
            log: observed.log,
        }
    }
}

/// Calls that succeed and calls that fail, with the canary in all of them.
fn made(helper: &dyn Helper) -> Vec<Call> {
    let mut calls = vec![
        Call::of("get of an unknown host", helper.get(HOST)),
        Call::of("store", helper.store(HOST, &object())),
        Call::of("get", helper.get(HOST)),
        Call::of("hosts", helper.hosts()),
    ];
    for (key, value) in helper.records() {
        let half = &value[..value.len() / 2];
        helper.set_record(&key, half);
        calls.push(Call::of("get of a changed record", helper.get(HOST)));
        helper.set_record(&key, &value);
    }
    calls.push(Call::of("forget", helper.forget(HOST)));
    calls
}

/// The settings with a canary in the place of every secret.
fn with_canaries(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (_, secret) in &mut settings.secrets {
        *secret = CANARY.as_bytes().to_vec();
    }
    settings
}

fn calls(trial: &Trial<'_>, texts: impl Fn(&Call) -> Vec<&str>) -> Outcome {
    let (case, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    let settings = with_canaries(&settings);
    let Some(helper) = trial.subject.helper(&settings) else {
        return Outcome::Skipped("the component is no credentials helper".to_owned());
    };
    let Some(needle) = Needle::new("the token", CANARY.as_bytes()) else {
        return Outcome::Skipped("the token is too short".to_owned());
    };
    let mut calls = made(&*helper);
    for host in case.known.keys() {
        calls.push(Call::of("get of a known host", helper.get(host)));
    }
    let mut findings = Vec::new();
    for call in &calls {
        for text in texts(call) {
            if let Some(shows) = needle.find(text) {
                findings.push(Finding::new(call.name, "no token", shows));
            }
        }
    }
    judged(findings, format!("{} calls", calls.len()))
}
