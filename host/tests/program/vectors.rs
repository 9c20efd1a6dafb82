//! Every vector made by real OpenTofu code (`tests/data/vectors/`), and where
//! keyhost differs on purpose, why.

mod configurations;
mod keys;
mod metadata;
mod states;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::data;

/// Where keyhost differs on purpose from what OpenTofu does.
struct Deviations {
    expected: BTreeMap<String, (String, String)>,
    seen: BTreeSet<String>,
}

impl Deviations {
    /// Reads those of one file of vectors.
    fn of(file: &str) -> Self {
        let expected = data("deviations.json")
            .into_iter()
            .filter(|entry| entry["file"] == file)
            .map(|entry| {
                let text = |field: &str| entry[field].as_str().expect(field).to_owned();
                assert!(!text("why").is_empty());
                (text("name"), (text("outcome"), text("why")))
            });
        Self {
            expected: expected.collect(),
            seen: BTreeSet::new(),
        }
    }

    /// What keyhost is to do: as OpenTofu, or as the deviation says.
    fn outcome(&mut self, vector: &Value) -> String {
        let name = vector["name"].as_str().expect("name");
        let theirs = vector["outcome"].as_str().expect("outcome");
        match self.expected.get(name) {
            Some((ours, _)) => {
                assert_ne!(ours, theirs, "{name}: this is no deviation");
                self.seen.insert(name.to_owned());
                ours.clone()
            }
            None => {
                assert_ne!(
                    theirs, "panic",
                    "{name}: OpenTofu panics; say what keyhost does"
                );
                theirs.to_owned()
            }
        }
    }

    /// A deviation without its vector says nothing.
    fn all_seen(&self) {
        let unseen: Vec<_> = self
            .expected
            .keys()
            .filter(|name| !self.seen.contains(*name))
            .collect();
        assert!(unseen.is_empty(), "deviations without a vector: {unseen:?}");
    }
}

/// Runs a check over vectors on all processors, and tells all failures.
fn each(vectors: &[Value], check: impl Fn(&Value) -> Result<(), String> + Sync) {
    assert!(!vectors.is_empty());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let share = vectors.chunks(vectors.len().div_ceil(threads));
        let threads: Vec<_> = share
            .map(|share| {
                let check = &check;
                scope.spawn(move || {
                    let failed = |vector: &Value| {
                        let failure = check(vector).err()?;
                        Some(format!("{}: {failure}", vector["name"]))
                    };
                    share.iter().filter_map(failed).collect::<Vec<_>>()
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Texts that stand for secrets in the vectors' configurations.
const SECRETS: [&str; 4] = [
    "correct horse",
    "00112233445566778899",
    "ffeeddccbbaa998877",
    "passphrase 000",
];

/// No message shows a secret.
fn shows_no_secret(message: &str) -> Result<(), String> {
    match SECRETS.iter().find(|secret| message.contains(*secret)) {
        Some(secret) => Err(format!("the message shows {secret}: {message}")),
        None => Ok(()),
    }
}
