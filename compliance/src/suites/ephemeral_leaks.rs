//! Values where they do not belong.

use super::ephemeral::configured;
use super::{Outcome, Suite, Test, Trial, fails, judged};
use crate::check::Finding;
use crate::leak::Needle;
use crate::subject::{Ephemeral, Observed, Settings};

pub(super) const TESTS: [Test; 3] = [
    fails(
        Suite::EphemeralLeaks,
        "ephemeral-leaks/storage",
        "No secret shows in private bytes or in the storage: both are kept in the clear.",
        |trial| judge(trial, |calls| &calls.kept),
    ),
    fails(
        Suite::EphemeralLeaks,
        "ephemeral-leaks/texts",
        "No secret shows in an error, in the log, or in a value that is not sensitive.",
        |trial| judge(trial, |calls| &calls.told),
    ),
    fails(
        Suite::EphemeralLeaks,
        "ephemeral-leaks/fresh",
        "Two openings give different secrets where a lease can be revoked: one must not outlive the other.",
        fresh,
    ),
];

/// What a resource kept and told, each with the place where it was found.
#[derive(Default)]
struct Calls {
    kept: Vec<(&'static str, String)>,
    told: Vec<(&'static str, String)>,
}

impl Calls {
    fn observe<T>(&mut self, name: &'static str, observed: &Observed<T>) {
        for message in &observed.log {
            self.told.push((name, message.clone()));
        }
        if let Err(failure) = &observed.result {
            self.told.push((name, failure.message.clone()));
        }
    }

    fn keep(&mut self, name: &'static str, bytes: &[u8]) {
        let each: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        self.kept.push((name, each));
        self.kept
            .push((name, String::from_utf8_lossy(bytes).into_owned()));
    }
}

/// Calls that succeed and calls that fail, and the secrets that came out.
fn made(ephemeral: &dyn Ephemeral) -> Result<(Calls, Vec<Needle>), Outcome> {
    let mut calls = Calls::default();
    let observed = ephemeral.open();
    calls.observe("open", &observed);
    let Ok(opened) = observed.result else {
        return Err(Outcome::Skipped("opening fails".to_owned()));
    };
    let secrets = opened.secrets.iter();
    let needles = secrets
        .filter_map(|(name, secret)| Needle::new(name, secret))
        .collect();
    for (_, value) in &opened.values {
        calls.told.push(("a plain value", value.to_string()));
    }
    let private = &opened.lease.private;
    calls.keep("private bytes", private);
    calls.observe("renew", &ephemeral.renew(private));
    for (key, value) in ephemeral.records() {
        calls.keep("the storage", key.as_bytes());
        calls.keep("the storage", &value);
    }
    calls.observe(
        "renew of half the bytes",
        &ephemeral.renew(&private[..private.len() / 2]),
    );
    calls.observe("close", &ephemeral.close(private));
    calls.observe("renew of what is closed", &ephemeral.renew(private));
    Ok((calls, needles))
}

fn judge(trial: &Trial<'_>, look: impl Fn(&Calls) -> &Vec<(&'static str, String)>) -> Outcome {
    let (_, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    let Some(ephemeral) = trial.subject.ephemeral(&settings) else {
        return Outcome::Skipped("the component is no ephemeral resource".to_owned());
    };
    let (calls, mut needles) = match made(&*ephemeral) {
        Ok(made) => made,
        Err(outcome) => return outcome,
    };
    needles.extend(of_settings(&settings));
    let mut findings = Vec::new();
    for (place, text) in look(&calls) {
        for needle in &needles {
            if let Some(shows) = needle.find(text) {
                findings.push(Finding::new(*place, "no secret", shows));
            }
        }
    }
    judged(findings, format!("{} texts", look(&calls).len()))
}

fn of_settings(settings: &Settings) -> impl Iterator<Item = Needle> {
    let secrets = settings.secrets.iter();
    let secrets = secrets.filter_map(|(name, secret)| Needle::new(name, secret));
    let keys = settings.keys.iter();
    secrets.chain(keys.filter_map(|(name, keys)| Needle::new(name, &keys.encryption_key)))
}

fn fresh(trial: &Trial<'_>) -> Outcome {
    let (_, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    let Some(ephemeral) = trial.subject.ephemeral(&settings) else {
        return Outcome::Skipped("the component is no ephemeral resource".to_owned());
    };
    let (Ok(first), Ok(second)) = (ephemeral.open().result, ephemeral.open().result) else {
        return Outcome::Skipped("opening fails".to_owned());
    };
    if first.lease.renew_at.is_none() {
        return Outcome::Skipped("the lease is never renewed".to_owned());
    }
    let mut findings = Vec::new();
    for (name, secret) in &first.secrets {
        if second.secrets.contains(&(name.clone(), secret.clone())) {
            findings.push(Finding::new(
                name,
                "another secret",
                "the same at both openings",
            ));
        }
    }
    judged(findings, "2 openings")
}
