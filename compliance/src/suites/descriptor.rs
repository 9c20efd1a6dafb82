//! What the component says of itself.

use super::{Outcome, Suite, Test, Trial, fails, judged, warns};
use crate::check::Finding;

pub(super) const TESTS: [Test; 5] = [
    fails(
        Suite::Descriptor,
        "descriptor/answers",
        "The component describes itself, or no host can use it.",
        answers,
    ),
    fails(
        Suite::Descriptor,
        "descriptor/contract",
        "Id, attribute names, types and defaults keep to the contract, so that every host decodes the same configuration alike.",
        contract,
    ),
    fails(
        Suite::Descriptor,
        "descriptor/stable",
        "The description is the same every time, so that what an operator vetted is what runs.",
        stable,
    ),
    fails(
        Suite::Descriptor,
        "descriptor/version",
        "The component names its version, so that people can tell builds apart.",
        version,
    ),
    warns(
        Suite::Descriptor,
        "descriptor/sensitive-names",
        "Attributes whose names speak of secrets are sensitive, so that the component never sees them.",
        sensitive_names,
    ),
];

/// Parts of names that speak of secrets.
const SECRET_NAMES: [&str; 6] = [
    "passphrase",
    "password",
    "passwd",
    "secret",
    "token",
    "private_key",
];

fn answers(trial: &Trial<'_>) -> Outcome {
    match &trial.descriptor {
        Ok(descriptor) => Outcome::Passed(format!("{} {}", descriptor.id, descriptor.version)),
        Err(failure) => {
            let came = format!("{}: {}", failure.kind, failure.message);
            Outcome::Failed(vec![Finding::new("describe", "a descriptor", came)])
        }
    }
}

fn contract(trial: &Trial<'_>) -> Outcome {
    let descriptor = match trial.descriptor() {
        Ok(descriptor) => descriptor,
        Err(outcome) => return outcome,
    };
    match trial.subject.breach(descriptor) {
        None => Outcome::Passed(format!("{} attributes", descriptor.attributes.len())),
        Some(breach) => {
            let expected = "a descriptor that keeps to the contract";
            Outcome::Failed(vec![Finding::new("describe", expected, breach)])
        }
    }
}

fn stable(trial: &Trial<'_>) -> Outcome {
    let descriptor = match trial.descriptor() {
        Ok(descriptor) => descriptor,
        Err(outcome) => return outcome,
    };
    let mut findings = Vec::new();
    for call in 2..=3 {
        if trial.subject.describe().as_ref() != Ok(descriptor) {
            let case = format!("call {call} of describe");
            findings.push(Finding::new(case, "what call 1 answered", "something else"));
        }
    }
    judged(findings, "3 calls")
}

fn version(trial: &Trial<'_>) -> Outcome {
    let descriptor = match trial.descriptor() {
        Ok(descriptor) => descriptor,
        Err(outcome) => return outcome,
    };
    let version = &descriptor.version;
    if version.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !version.contains(char::is_whitespace)
    {
        return Outcome::Passed(version.clone());
    }
    let expected = "a version such as 1.2.3";
    Outcome::Failed(vec![Finding::new(
        "describe",
        expected,
        format!("\"{version}\""),
    )])
}

fn sensitive_names(trial: &Trial<'_>) -> Outcome {
    let descriptor = match trial.descriptor() {
        Ok(descriptor) => descriptor,
        Err(outcome) => return outcome,
    };
    let suspicious = descriptor.attributes.iter().filter(|attribute| {
        let speaks = SECRET_NAMES
            .iter()
            .any(|part| attribute.name.contains(part));
        speaks && !attribute.sensitive && !attribute.takes_keys
    });
    let findings: Vec<_> = suspicious
        .map(|attribute| Finding::new(attribute.name.as_str(), "sensitive", "not sensitive"))
        .collect();
    if findings.is_empty() {
        return Outcome::Passed(format!("{} attributes", descriptor.attributes.len()));
    }
    Outcome::Warned(findings)
}
