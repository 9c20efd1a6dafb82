//! `--check`: which files a command would change.

use std::fmt::Write;

use super::batch::Batch;
use crate::files;

/// Files that are not as they are to be.
#[derive(Debug, thiserror::Error)]
#[error(
    "{changed} of {all} files {be} not {wanted}{others}",
    be = if *changed == 1 { "is" } else { "are" },
    others = if *unknown == 0 { String::new() } else { format!(", and {unknown} could not be checked") }
)]
struct NotAsWanted {
    changed: usize,
    unknown: usize,
    all: usize,
    wanted: &'static str,
}

/// Prints the files that would be changed, one on a line, and fails if there are
/// any. Files that could not be checked are told, too, and have the last word on
/// the exit code: nobody knows what they are.
pub(super) fn report(
    batch: &Batch<'_>,
    results: Vec<anyhow::Result<bool>>,
    wanted: &'static str,
) -> anyhow::Result<()> {
    let mut names = String::new();
    let mut changed = 0;
    for (path, would_change) in batch.succeeded(&results) {
        if *would_change {
            changed += 1;
            let _ = writeln!(names, "{}", files::shown(path));
        }
    }
    files::print(names.as_bytes())?;
    let unknown = results.iter().filter(|result| result.is_err()).count();
    let finished = batch.finish(results);
    if changed == 0 {
        return finished;
    }
    let summary = NotAsWanted {
        changed,
        unknown,
        all: batch.len(),
        wanted,
    };
    match finished {
        Ok(()) => Err(summary.into()),
        Err(error) => Err(error.context(summary)),
    }
}
