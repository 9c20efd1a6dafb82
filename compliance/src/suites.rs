//! The checks, one file for each suite.

mod build;
mod completeness;
mod credentials;
mod credentials_leaks;
mod descriptor;
mod ephemeral;
mod ephemeral_leaks;
mod hostile_metadata;
mod isolation;
mod leaks;
mod limits;
mod metadata;
mod parsing;
mod provide;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::case::Cases;
use crate::check::{Check, Finding, Outcome, Suite};
use crate::subject::{Descriptor, Failure, Kind, Observed, Provided, Settings, Subject, Syntax};

/// What every check looks at.
pub(crate) struct Trial<'a> {
    pub(crate) subject: &'a dyn Subject,
    pub(crate) descriptor: Result<Descriptor, Failure>,
    /// Absent where the component has no case file.
    pub(crate) cases: Option<&'a Cases>,
    pub(crate) options: Options,
    /// What came of hostile metadata: asked for once, judged by several checks.
    pub(crate) hostile: OnceLock<Result<Vec<HostileAnswer>, Outcome>>,
}

/// Hostile metadata and what came of it.
pub(crate) struct HostileAnswer {
    /// The beginning of the metadata, fit to be shown.
    pub(crate) shown: String,
    /// Whether there was a decryption key, or why there was nothing.
    pub(crate) answer: Result<bool, Failure>,
}

/// What can be set for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of hostile metadata.
    pub seed: u64,
    /// How much hostile metadata, at least.
    pub hostile_inputs: usize,
    /// The most memory that a component is to need, in bytes.
    pub memory: u64,
    /// The most instructions that a component is to need.
    pub fuel: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            hostile_inputs: 1_000,
            memory: 32 << 20,
            fuel: 100_000_000,
        }
    }
}

/// A check and what does it.
pub(crate) struct Test {
    pub(crate) check: Check,
    pub(crate) run: fn(&Trial<'_>) -> Outcome,
}

/// Every check, in the order in which they run.
pub(crate) fn tests() -> Vec<Test> {
    let suites: [&[Test]; 14] = [
        &descriptor::TESTS,
        &parsing::TESTS,
        &build::TESTS,
        &metadata::TESTS,
        &provide::TESTS,
        &completeness::TESTS,
        &hostile_metadata::TESTS,
        &leaks::TESTS,
        &isolation::TESTS,
        &limits::TESTS,
        &credentials::TESTS,
        &credentials_leaks::TESTS,
        &ephemeral::TESTS,
        &ephemeral_leaks::TESTS,
    ];
    suites
        .into_iter()
        .flatten()
        .map(|test| Test {
            check: test.check,
            run: test.run,
        })
        .collect()
}

/// A check whose findings fail a component.
const fn fails(
    suite: Suite,
    id: &'static str,
    demand: &'static str,
    run: fn(&Trial<'_>) -> Outcome,
) -> Test {
    Test {
        check: Check {
            id,
            suite,
            demand,
            fails: true,
            kind: suite.kind(),
        },
        run,
    }
}

/// A check that is for one kind of plugin alone.
const fn only(kind: Kind, mut test: Test) -> Test {
    test.check.kind = Some(kind);
    test
}

/// A check whose findings are warnings.
const fn warns(
    suite: Suite,
    id: &'static str,
    demand: &'static str,
    run: fn(&Trial<'_>) -> Outcome,
) -> Test {
    let mut test = fails(suite, id, demand, run);
    test.check.fails = false;
    test
}

/// Failed where something was found, else passed over what was looked at.
fn judged(findings: Vec<Finding>, looked_at: impl std::fmt::Display) -> Outcome {
    if findings.is_empty() {
        Outcome::Passed(looked_at.to_string())
    } else {
        Outcome::Failed(findings)
    }
}

impl<'a> Trial<'a> {
    /// The case file, or why a check that needs it is skipped.
    fn cases(&self) -> Result<&'a Cases, Outcome> {
        self.cases
            .ok_or_else(|| Outcome::Skipped("there is no case file".to_owned()))
    }

    /// The descriptor, or why a check that needs it is skipped.
    pub(crate) fn descriptor(&self) -> Result<&Descriptor, Outcome> {
        self.descriptor
            .as_ref()
            .map_err(|_| Outcome::Skipped("the component does not describe itself".to_owned()))
    }

    /// The settings of attributes in a case.
    fn settings(&self, attributes: &BTreeMap<String, Value>) -> Result<Settings, Failure> {
        self.settings_of(json!(attributes))
    }

    fn settings_of(&self, attributes: Value) -> Result<Settings, Failure> {
        let id = self
            .descriptor
            .as_ref()
            .map(|descriptor| descriptor.id.clone());
        let id = id.map_err(Clone::clone)?;
        let block = match self.subject.kind() {
            Kind::KeyProvider => json!({ "key_provider": { id: { "test": attributes } } }),
            Kind::CredentialsHelper => json!({ "credentials_helper": { id: attributes } }),
            Kind::EphemeralResource => {
                json!({ "ephemeral_resource": { id: { "test": attributes } } })
            }
        };
        let block = block.to_string();
        self.decode(Syntax::Json, &block)
    }

    fn decode(&self, syntax: Syntax, text: &str) -> Result<Settings, Failure> {
        let keys = self.cases.map(Cases::test_keys).unwrap_or_default();
        self.subject.decode(syntax, text, &keys)
    }

    /// The settings of the provide case, or why a check is skipped.
    fn provide_settings(&self) -> Result<Settings, Outcome> {
        let Some(case) = &self.cases()?.provide else {
            return Err(Outcome::Skipped(
                "the case file has no provide case".to_owned(),
            ));
        };
        self.settings(&case.attributes).map_err(|failure| {
            Outcome::Skipped(format!(
                "the provide case does not decode: {}",
                failure.message
            ))
        })
    }

    /// A first answer to the provide case, or why a check is skipped.
    fn first_answer(&self) -> Result<(Settings, Provided), Outcome> {
        let settings = self.provide_settings()?;
        match self
            .subject
            .provide(&without_decryption(&settings), None)
            .result
        {
            Ok(provided) => Ok((settings, provided)),
            Err(_) => Err(Outcome::Skipped(
                "the provide case gives no keys".to_owned(),
            )),
        }
    }
}

/// Settings as a first call has them: upstream providers have nothing to
/// decrypt either.
fn without_decryption(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (_, keys) in &mut settings.keys {
        keys.decryption_key = None;
    }
    settings
}

/// Settings as a later call has them after a first: the upstream keys that
/// encrypted then decrypt now.
fn with_decryption(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (_, keys) in &mut settings.keys {
        keys.decryption_key = Some(keys.encryption_key.clone());
    }
    settings
}

/// Metadata after it was stored and read: the same JSON in another spelling of
/// white space.
fn through_json(provided: &Provided) -> Option<String> {
    let text = provided.metadata.as_deref()?;
    let value: Value = serde_json::from_str(text).ok()?;
    serde_json::to_string_pretty(&value).ok()
}

/// An answer in a few words.
fn told<T>(observed: &Observed<T>) -> String {
    match &observed.result {
        Ok(_) => "no error".to_owned(),
        Err(failure) => format!("{}: {}", failure.kind, failure.message),
    }
}
