//! What terraform made the fake provider do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The lines of the file of calls, in order.
#[derive(Debug)]
pub(crate) struct Calls(Vec<String>);

impl Calls {
    /// Of a file that may not be there yet.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        Self(text.lines().map(str::to_owned).collect())
    }

    /// What follows the verb in each of its lines.
    pub(crate) fn of(&self, verb: &str) -> Vec<&str> {
        let lines = self.0.iter().filter_map(|line| line.split_once(' '));
        lines
            .filter(|(found, _)| *found == verb)
            .map(|(_, rest)| rest)
            .collect()
    }

    pub(crate) fn count(&self, verb: &str) -> usize {
        self.of(verb).len()
    }

    /// The processes of the provider.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let ids = self.of("start").into_iter();
        ids.map(|id| id.parse().expect("a process")).collect()
    }

    /// The names of the closed leases, in order.
    pub(crate) fn closed_names(&self) -> Vec<&str> {
        let names = self.of("close").into_iter();
        names
            .map(|close| close.split(':').next().expect("a name"))
            .collect()
    }

    /// Every lease that was opened was closed, all were closed once.
    #[track_caller]
    pub(crate) fn assert_closed_once(&self) {
        let mut closes: BTreeMap<&str, i32> = BTreeMap::new();
        for lease in self.of("opened") {
            closes.insert(lease, 0);
        }
        for close in self.of("close") {
            let lease = close.split(' ').next().expect("a lease");
            *closes.entry(lease).or_insert(1) += 1;
        }
        assert!(
            closes.values().all(|count| *count == 1),
            "{closes:?} {self:#?}"
        );
    }
}
