//! Open, renew and close.

use super::{Outcome, Suite, Test, Trial, fails, judged, told};
use crate::case::EphemeralCase;
use crate::check::Finding;
use crate::subject::{Ephemeral, FailureKind, Observed, Opened, Settings};

pub(super) const TESTS: [Test; 9] = [
    fails(
        Suite::Ephemeral,
        "ephemeral/opens",
        "Opening gives exactly the values that are declared: users refer to them by name.",
        |trial| with(trial, |_, ephemeral| opens(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/expected-values",
        "Values that are always the same are the promised ones.",
        |trial| with(trial, expected_values),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/renew-at",
        "What is to be renewed is to be renewed in the future, or the client renews without end.",
        |trial| with(trial, |_, ephemeral| renew_at(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/renews",
        "A lease is renewed by its private bytes alone, in a fresh instance.",
        |trial| with(trial, |_, ephemeral| renews(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/maximum-lifetime",
        "Renewing ends at the promised lifetime, however often it is asked for.",
        |trial| with(trial, maximum_lifetime),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/closes",
        "Closing succeeds by the private bytes that opening gave, also after renewals.",
        |trial| with(trial, |_, ephemeral| closes(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/closes-again",
        "Closing again succeeds: nobody knows whether the first close came through.",
        |trial| with(trial, |_, ephemeral| closes_again(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/closed-is-closed",
        "What was closed cannot be renewed, and leaves nothing in the storage.",
        |trial| with(trial, |_, ephemeral| closed_is_closed(ephemeral)),
    ),
    fails(
        Suite::Ephemeral,
        "ephemeral/foreign-private",
        "Private bytes that are not the component's end in a failure, never in a trap.",
        |trial| with(trial, |_, ephemeral| foreign_private(ephemeral)),
    ),
];

/// A configured resource's case and settings, or why a check is skipped.
pub(super) fn configured(trial: &Trial<'_>) -> Result<(EphemeralCase, Settings), Outcome> {
    let Some(case) = &trial.cases()?.ephemeral else {
        let reason = "the case file has no ephemeral case";
        return Err(Outcome::Skipped(reason.to_owned()));
    };
    let settings = trial.settings(&case.attributes).map_err(|failure| {
        Outcome::Skipped(format!(
            "the ephemeral case does not decode: {}",
            failure.message
        ))
    })?;
    Ok((case.clone(), settings))
}

fn with(
    trial: &Trial<'_>,
    check: impl FnOnce(&EphemeralCase, &dyn Ephemeral) -> Outcome,
) -> Outcome {
    let (case, settings) = match configured(trial) {
        Ok(configured) => configured,
        Err(outcome) => return outcome,
    };
    match trial.subject.ephemeral(&settings) {
        Some(ephemeral) => check(&case, &*ephemeral),
        None => Outcome::Skipped("the component is no ephemeral resource".to_owned()),
    }
}

/// An open resource, which another check judges.
fn opened(ephemeral: &dyn Ephemeral) -> Result<Opened, Outcome> {
    let opened = ephemeral.open().result;
    opened.map_err(|_| Outcome::Skipped("opening fails".to_owned()))
}

fn failed<T>(case: &str, observed: &Observed<T>) -> Vec<Finding> {
    match observed.result {
        Ok(_) => Vec::new(),
        Err(_) => vec![Finding::new(case, "no error", told(observed))],
    }
}

fn opens(ephemeral: &dyn Ephemeral) -> Outcome {
    let observed = ephemeral.open();
    let mut findings = failed("opening", &observed);
    if let Ok(Opened {
        breach: Some(breach),
        ..
    }) = &observed.result
    {
        findings.push(Finding::new(
            "opening",
            "the declared values",
            breach.clone(),
        ));
    }
    judged(findings, "1 opening")
}

fn expected_values(case: &EphemeralCase, ephemeral: &dyn Ephemeral) -> Outcome {
    if case.values.is_empty() {
        return Outcome::Skipped("the case promises no value".to_owned());
    }
    let opened = match opened(ephemeral) {
        Ok(opened) => opened,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    for (name, expected) in &case.values {
        let secret = opened.secrets.iter().find(|(other, _)| other == name);
        let came = match secret {
            Some((_, bytes)) => Some(serde_json::json!(String::from_utf8_lossy(bytes))),
            None => opened.values.get(name).cloned(),
        };
        if came.as_ref() != Some(expected) {
            findings.push(Finding::new(name, "the promised value", "another"));
        }
    }
    judged(findings, format!("{} values", case.values.len()))
}

fn renew_at(ephemeral: &dyn Ephemeral) -> Outcome {
    let opened = match opened(ephemeral) {
        Ok(opened) => opened,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    let mut lease = opened.lease;
    for call in ["open", "renew", "renew, again"] {
        let Some(at) = lease.renew_at else { break };
        let now = ephemeral.now();
        if at <= now {
            let came = format!("{} seconds ago", now - at);
            findings.push(Finding::new(call, "a time in the future", came));
            break;
        }
        ephemeral.set_now(at.saturating_sub(1).max(now));
        match ephemeral.renew(&lease.private).result {
            Ok(renewed) => lease = renewed,
            // Whether renewing works is judged elsewhere.
            Err(_) => break,
        }
    }
    judged(findings, "3 leases")
}

fn renews(ephemeral: &dyn Ephemeral) -> Outcome {
    let opened = match opened(ephemeral) {
        Ok(opened) => opened,
        Err(outcome) => return outcome,
    };
    if opened.lease.renew_at.is_none() {
        return Outcome::Skipped("the lease is never renewed".to_owned());
    }
    let first = ephemeral.renew(&opened.lease.private);
    let mut findings = failed("a renewal", &first);
    if let Ok(lease) = &first.result {
        findings.extend(failed("a second renewal", &ephemeral.renew(&lease.private)));
    }
    judged(findings, "2 renewals")
}

fn maximum_lifetime(case: &EphemeralCase, ephemeral: &dyn Ephemeral) -> Outcome {
    let Some(maximum) = case.maximum_lifetime else {
        return Outcome::Skipped("the case promises no end".to_owned());
    };
    let mut lease = match opened(ephemeral) {
        Ok(opened) => opened.lease,
        Err(outcome) => return outcome,
    };
    let end = ephemeral.now().saturating_add(maximum);
    let mut renewals = 0;
    let mut findings = Vec::new();
    while let Some(at) = lease.renew_at {
        renewals += 1;
        if renewals > MAXIMUM_RENEWALS {
            break;
        }
        if at > end {
            let came = format!("a renewal {} seconds after it", at - end);
            findings.push(Finding::new("the end", "no renewal after it", came));
            break;
        }
        ephemeral.set_now(at);
        match ephemeral.renew(&lease.private).result {
            Ok(renewed) => lease = renewed,
            Err(_) => break,
        }
    }
    ephemeral.set_now(end.saturating_add(1));
    if ephemeral.renew(&lease.private).result.is_ok() {
        findings.push(Finding::new("after the end", "a failure", "no error"));
    }
    judged(findings, format!("{renewals} renewals"))
}

/// Enough for a lifetime in steps; a component that never ends is found by the
/// renewal after the end.
const MAXIMUM_RENEWALS: u32 = 1_000;

fn closes(ephemeral: &dyn Ephemeral) -> Outcome {
    let opened = match opened(ephemeral) {
        Ok(opened) => opened,
        Err(outcome) => return outcome,
    };
    let private = opened.lease.private;
    if opened.lease.renew_at.is_some() {
        let _ = ephemeral.renew(&private);
    }
    judged(failed("closing", &ephemeral.close(&private)), "1 closing")
}

fn closes_again(ephemeral: &dyn Ephemeral) -> Outcome {
    let private = match opened(ephemeral) {
        Ok(opened) => opened.lease.private,
        Err(outcome) => return outcome,
    };
    if ephemeral.close(&private).result.is_err() {
        return Outcome::Skipped("closing fails".to_owned());
    }
    judged(
        failed("closing again", &ephemeral.close(&private)),
        "2 closings",
    )
}

fn closed_is_closed(ephemeral: &dyn Ephemeral) -> Outcome {
    let before = ephemeral.records().len();
    let lease = match opened(ephemeral) {
        Ok(opened) => opened.lease,
        Err(outcome) => return outcome,
    };
    if ephemeral.close(&lease.private).result.is_err() {
        return Outcome::Skipped("closing fails".to_owned());
    }
    let mut findings = Vec::new();
    let left = ephemeral.records().len().saturating_sub(before);
    if left > 0 {
        let came = format!("{left} records");
        findings.push(Finding::new("the storage", "nothing of the lease", came));
    }
    if lease.renew_at.is_some() && ephemeral.renew(&lease.private).result.is_ok() {
        findings.push(Finding::new(
            "renewing what is closed",
            "a failure",
            "no error",
        ));
    }
    judged(findings, "1 lease")
}

fn foreign_private(ephemeral: &dyn Ephemeral) -> Outcome {
    let own = match opened(ephemeral) {
        Ok(opened) => opened.lease.private,
        Err(outcome) => return outcome,
    };
    let mut inputs = vec![
        Vec::new(),
        b"{}".to_vec(),
        b"\xff\0\xfe".to_vec(),
        vec![b'x'; 10_000],
        [own.as_slice(), b"x"].concat(),
        own[..own.len() / 2].to_vec(),
    ];
    inputs.retain(|input| *input != own);
    let mut findings = Vec::new();
    for input in &inputs {
        let case = format!("{} bytes that are not its own", input.len());
        for observed in [
            ephemeral.renew(input).result.map(drop),
            ephemeral.close(input).result,
        ] {
            let trapped = observed.as_ref().err();
            let trapped = trapped.filter(|failure| failure.kind == FailureKind::Trap);
            if let Some(failure) = trapped {
                findings.push(Finding::new(&case, "a failure", failure.message.clone()));
            }
        }
    }
    judged(findings, format!("{} inputs", inputs.len()))
}
