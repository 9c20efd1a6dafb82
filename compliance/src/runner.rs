//! Running checks over a component.

use std::sync::OnceLock;
use std::time::Instant;

use crate::case::Cases;
use crate::check::{Check, Judgement, Outcome, Suite};
use crate::subject::Subject;
use crate::suites::{self, Trial};

pub use crate::suites::Options;

/// Every check, in the order in which they run.
pub fn checks() -> Vec<Check> {
    suites::tests().iter().map(|test| test.check).collect()
}

/// Which checks run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(Vec<String>);

/// A name is neither a suite nor a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no suite or check \"{name}\"; the suites are {}",
    suite_names()
)]
pub struct UnknownName {
    /// The name.
    pub name: String,
}

fn suite_names() -> String {
    Suite::ALL.map(Suite::name).join(", ")
}

impl Selection {
    /// Suites by name, and checks by identifier; none means all.
    ///
    /// # Errors
    /// [`UnknownName`].
    pub fn new(names: &[String]) -> Result<Self, UnknownName> {
        let known = |name: &str| checks().iter().any(|check| selects(name, check));
        match names.iter().find(|name| !known(name)) {
            Some(name) => Err(UnknownName { name: name.clone() }),
            None => Ok(Self(names.to_vec())),
        }
    }

    fn contains(&self, check: &Check) -> bool {
        self.0.is_empty() || self.0.iter().any(|name| selects(name, check))
    }
}

fn selects(name: &str, check: &Check) -> bool {
    name == check.id || name == check.suite.name()
}

/// Judges a component. A descriptor that breaks the contract ends it: the other
/// checks cannot be run, and are skipped.
pub fn judge(
    subject: &dyn Subject,
    cases: Option<&Cases>,
    selection: &Selection,
    options: Options,
) -> Vec<Judgement> {
    let trial = Trial {
        subject,
        descriptor: subject.describe(),
        cases,
        options,
        hostile: OnceLock::new(),
    };
    // What is decoded by a broken descriptor says nothing of the component.
    let described = trial.descriptor.as_ref().ok();
    let usable = described.is_some_and(|descriptor| subject.breach(descriptor).is_none());
    let mut judgements = Vec::new();
    for test in suites::tests() {
        let concerns = test.check.kind.is_none_or(|kind| kind == subject.kind());
        if !concerns || !selection.contains(&test.check) {
            continue;
        }
        let started = Instant::now();
        let outcome = if usable || test.check.suite == Suite::Descriptor {
            (test.run)(&trial)
        } else {
            Outcome::Skipped("the component's descriptor cannot be used".to_owned())
        };
        judgements.push(Judgement {
            check: test.check,
            outcome,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
    }
    judgements
}
