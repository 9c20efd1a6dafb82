//! The credentials helper protocol: get, store, forget.

use std::collections::BTreeSet;

use super::{Outcome, Suite, Test, Trial, fails, judged, told};
use crate::case::HelperCase;
use crate::check::Finding;
use crate::subject::{FailureKind, Helper, Observed, Settings};

pub(super) const TESTS: [Test; 11] = [
    fails(
        Suite::Credentials,
        "credentials/unknown-host",
        "A host without credentials gives none, and no error: an empty token would be sent as one.",
        unknown_host,
    ),
    fails(
        Suite::Credentials,
        "credentials/known-host",
        "A host that the configuration knows gives the promised object.",
        known_host,
    ),
    fails(
        Suite::Credentials,
        "credentials/round-trip",
        "What was stored comes back byte for byte, with properties that the helper does not know.",
        |trial| stores(trial, round_trip),
    ),
    fails(
        Suite::Credentials,
        "credentials/replace",
        "A second store replaces the first as a whole.",
        |trial| stores(trial, replace),
    ),
    fails(
        Suite::Credentials,
        "credentials/forget",
        "What was forgotten does not come back.",
        |trial| stores(trial, forget),
    ),
    fails(
        Suite::Credentials,
        "credentials/forget-nothing",
        "Forgetting a host without credentials succeeds.",
        |trial| stores(trial, forget_nothing),
    ),
    fails(
        Suite::Credentials,
        "credentials/hosts-apart",
        "Hosts are told apart whole, with their ports: a token goes to no other host.",
        |trial| stores(trial, hosts_apart),
    ),
    fails(
        Suite::Credentials,
        "credentials/hosts",
        "The helper lists the hosts that have credentials, for people.",
        |trial| stores(trial, hosts),
    ),
    fails(
        Suite::Credentials,
        "credentials/swapped-records",
        "A record put in another's place gives nobody another host's token: storage is not trusted.",
        |trial| stores(trial, swapped_records),
    ),
    fails(
        Suite::Credentials,
        "credentials/changed-records",
        "A changed record is an error: neither another object, nor none, nor a trap.",
        |trial| stores(trial, changed_records),
    ),
    fails(
        Suite::Credentials,
        "credentials/read-only",
        "A helper that does not store refuses with unsupported, and never says that it did.",
        read_only,
    ),
];

pub(super) const HOST: &str = "example.com";
const OTHER: &str = "example.com:8443";
const TOKEN: &str = r#"{"token":"of the first host"}"#;
const OTHER_TOKEN: &str = r#"{"token":"of the other host"}"#;

/// A configured helper and its case, or why a check is skipped.
pub(super) fn configured(trial: &Trial<'_>) -> Result<(HelperCase, Settings), Outcome> {
    let Some(case) = &trial.cases()?.helper else {
        let reason = "the case file has no helper case";
        return Err(Outcome::Skipped(reason.to_owned()));
    };
    let settings = trial.settings(&case.attributes).map_err(|failure| {
        Outcome::Skipped(format!(
            "the helper case does not decode: {}",
            failure.message
        ))
    })?;
    Ok((case.clone(), settings))
}

/// Runs a check with a helper that stores, and an empty storage.
pub(super) fn stores(trial: &Trial<'_>, check: impl FnOnce(&dyn Helper) -> Outcome) -> Outcome {
    let (case, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    if case.read_only {
        return Outcome::Skipped("the helper is read-only".to_owned());
    }
    with(trial, &settings, check)
}

fn with(
    trial: &Trial<'_>,
    settings: &Settings,
    check: impl FnOnce(&dyn Helper) -> Outcome,
) -> Outcome {
    match trial.subject.helper(settings) {
        Some(helper) => check(&*helper),
        None => Outcome::Skipped("the component is no credentials helper".to_owned()),
    }
}

/// What a helper gives for a host, in a few words.
fn shown(got: &Observed<Option<Vec<u8>>>) -> String {
    match &got.result {
        Ok(None) => "none".to_owned(),
        Ok(Some(object)) => format!("an object of {} bytes", object.len()),
        Err(_) => told(got),
    }
}

fn expect(
    findings: &mut Vec<Finding>,
    case: &str,
    helper: &dyn Helper,
    host: &str,
    object: Option<&str>,
) {
    let got = helper.get(host);
    let same = matches!(&got.result, Ok(came) if came.as_deref() == object.map(str::as_bytes));
    if !same {
        let expected = match object {
            Some(object) => format!("the object of {} bytes that was stored", object.len()),
            None => "none".to_owned(),
        };
        findings.push(Finding::new(case, expected, shown(&got)));
    }
}

fn succeeds<T>(findings: &mut Vec<Finding>, case: &str, observed: &Observed<T>) {
    if observed.result.is_err() {
        findings.push(Finding::new(case, "no error", told(observed)));
    }
}

/// A check that stores needs that storing works, which others judge.
fn stored(helper: &dyn Helper, host: &str, object: &str) -> Result<(), Outcome> {
    match helper.store(host, object).result {
        Ok(()) => Ok(()),
        Err(_) => Err(Outcome::Skipped("storing fails".to_owned())),
    }
}

fn unknown_host(trial: &Trial<'_>) -> Outcome {
    let (_, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    with(trial, &settings, |helper| {
        let mut findings = Vec::new();
        for host in [
            "unknown.example.com",
            "unknown.example.com:8443",
            "xn--80akhbyknj4f.com",
        ] {
            expect(&mut findings, host, helper, host, None);
        }
        judged(findings, "3 hosts")
    })
}

fn known_host(trial: &Trial<'_>) -> Outcome {
    let (case, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    if case.known.is_empty() {
        return Outcome::Skipped("the helper case knows no host".to_owned());
    }
    with(trial, &settings, |helper| {
        let mut findings = Vec::new();
        for (host, object) in &case.known {
            expect(&mut findings, host, helper, host, Some(object));
        }
        judged(findings, format!("{} hosts", case.known.len()))
    })
}

fn round_trip(helper: &dyn Helper) -> Outcome {
    let long = format!(r#"{{"token":"{}"}}"#, "x".repeat(20_000));
    let objects = [
        TOKEN,
        r#"{"token":"\"\\ é \u00e9","more":1}"#,
        r#"{ "expires" : 9007199254740993, "token":"a" , "nested":{"list":[1.50,null,{"":[]}]} }"#,
        r#"{"other":"no token"}"#,
        &long,
    ];
    let mut findings = Vec::new();
    for (number, object) in (1..).zip(objects) {
        let case = format!("object {number}");
        let store = helper.store(HOST, object);
        succeeds(&mut findings, &case, &store);
        if store.result.is_ok() {
            expect(&mut findings, &case, helper, HOST, Some(object));
        }
    }
    judged(findings, format!("{} objects", objects.len()))
}

fn replace(helper: &dyn Helper) -> Outcome {
    let stored = stored(helper, HOST, TOKEN).and_then(|()| stored(helper, HOST, OTHER_TOKEN));
    if let Err(outcome) = stored {
        return outcome;
    }
    let mut findings = Vec::new();
    expect(
        &mut findings,
        "after a second store",
        helper,
        HOST,
        Some(OTHER_TOKEN),
    );
    judged(findings, "2 objects")
}

fn forget(helper: &dyn Helper) -> Outcome {
    if let Err(outcome) = stored(helper, HOST, TOKEN) {
        return outcome;
    }
    let mut findings = Vec::new();
    succeeds(&mut findings, "forgetting", &helper.forget(HOST));
    expect(&mut findings, "after it was forgotten", helper, HOST, None);
    judged(findings, "1 host")
}

fn forget_nothing(helper: &dyn Helper) -> Outcome {
    let mut findings = Vec::new();
    succeeds(
        &mut findings,
        "a host without credentials",
        &helper.forget(HOST),
    );
    judged(findings, "1 host")
}

fn hosts_apart(helper: &dyn Helper) -> Outcome {
    if let Err(outcome) = stored(helper, HOST, TOKEN) {
        return outcome;
    }
    let mut findings = Vec::new();
    for other in [
        OTHER,
        "example.co",
        "example.com.evil.test",
        "www.example.com",
        "example.com.",
    ] {
        expect(
            &mut findings,
            &format!("{other}, after {HOST}"),
            helper,
            other,
            None,
        );
    }
    if let Err(outcome) = stored(helper, OTHER, OTHER_TOKEN) {
        return outcome;
    }
    expect(
        &mut findings,
        &format!("{HOST}, after {OTHER}"),
        helper,
        HOST,
        Some(TOKEN),
    );
    let _ = helper.forget(OTHER);
    expect(
        &mut findings,
        &format!("{HOST}, after {OTHER} was forgotten"),
        helper,
        HOST,
        Some(TOKEN),
    );
    judged(findings, "6 hosts")
}

fn hosts(helper: &dyn Helper) -> Outcome {
    let stored = stored(helper, HOST, TOKEN).and_then(|()| stored(helper, OTHER, OTHER_TOKEN));
    if let Err(outcome) = stored {
        return outcome;
    }
    let listed = helper.hosts();
    let mut findings = Vec::new();
    match &listed.result {
        Err(_) => findings.push(Finding::new("two hosts", "both", told(&listed))),
        Ok(came) => {
            let came: BTreeSet<_> = came.iter().map(String::as_str).collect();
            if came != BTreeSet::from([HOST, OTHER]) {
                let came: Vec<_> = came.into_iter().collect();
                findings.push(Finding::new("two hosts", "both", came.join(", ")));
            }
        }
    }
    judged(findings, "2 hosts")
}

/// The records of two hosts, each in the other's place.
fn swapped_records(helper: &dyn Helper) -> Outcome {
    if let Err(outcome) = stored(helper, HOST, TOKEN) {
        return outcome;
    }
    let first = helper.records();
    if let Err(outcome) = stored(helper, OTHER, OTHER_TOKEN) {
        return outcome;
    }
    let second: Vec<_> = helper
        .records()
        .into_iter()
        .filter(|(key, _)| !first.iter().any(|(old, _)| old == key))
        .collect();
    let ([(first_key, first_value)], [(second_key, second_value)]) = (&first[..], &second[..])
    else {
        return Outcome::Skipped("the helper keeps other than one record a host".to_owned());
    };
    helper.set_record(first_key, second_value);
    helper.set_record(second_key, first_value);
    let mut findings = Vec::new();
    for (host, foreign) in [(HOST, OTHER_TOKEN), (OTHER, TOKEN)] {
        let got = helper.get(host);
        if matches!(&got.result, Ok(Some(object)) if object == foreign.as_bytes()) {
            findings.push(Finding::new(
                host,
                "an error",
                "the other host's credentials",
            ));
        }
    }
    judged(findings, "2 hosts")
}

fn changed_records(helper: &dyn Helper) -> Outcome {
    if let Err(outcome) = stored(helper, HOST, TOKEN) {
        return outcome;
    }
    let mut findings = Vec::new();
    let mut changes = 0;
    for (key, value) in helper.records() {
        for changed in changed(&value) {
            helper.set_record(&key, &changed);
            changes += 1;
            let got = helper.get(HOST);
            let refused =
                matches!(&got.result, Err(failure) if failure.kind == FailureKind::Failure);
            if !refused {
                let case = format!(
                    "a record of {} bytes for one of {}",
                    changed.len(),
                    value.len()
                );
                findings.push(Finding::new(case, "a failure", shown(&got)));
            }
        }
        helper.set_record(&key, &value);
    }
    findings.truncate(5);
    judged(findings, format!("{changes} changes"))
}

/// A value with a bit turned at several places, cut, lengthened, and emptied.
fn changed(value: &[u8]) -> Vec<Vec<u8>> {
    let mut changes = vec![Vec::new(), [value, b"x"].concat()];
    for position in [0, value.len() / 2, value.len().saturating_sub(1)] {
        let mut turned = value.to_vec();
        if let Some(byte) = turned.get_mut(position) {
            *byte ^= 1;
            changes.push(turned);
        }
        changes.push(value[..position].to_vec());
    }
    changes.retain(|change| change != value);
    changes
}

fn read_only(trial: &Trial<'_>) -> Outcome {
    let (case, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    if !case.read_only {
        return Outcome::Skipped("the helper stores".to_owned());
    }
    with(trial, &settings, |helper| {
        let mut findings = Vec::new();
        for (case, observed) in [
            ("store", helper.store(HOST, TOKEN)),
            ("forget", helper.forget(HOST)),
        ] {
            let refused = matches!(&observed.result, Err(failure) if failure.kind == FailureKind::Unsupported);
            if !refused {
                findings.push(Finding::new(case, "unsupported", told(&observed)));
            }
        }
        judged(findings, "store and forget")
    })
}
