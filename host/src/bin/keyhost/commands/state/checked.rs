//! `--check`: which files a command would change.

use std::fmt::Write;

use super::batch::Batch;
use crate::files;

/// Files that are not as they are to be.
#[derive(Debug, thiserror::Error)]
#[error("{changed} of {all} files {be} not {wanted}", be = if *changed == 1 { "is" } else { "are" })]
struct NotAsWanted {
    changed: usize,
    all: usize,
    wanted: &'static str,
}

/// Prints the files that would be changed, one on a line, and fails if there are
/// any.
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
    batch.finish(results)?;
    if changed > 0 {
        let all = batch.len();
        return Err(NotAsWanted {
            changed,
            all,
            wanted,
        }
        .into());
    }
    Ok(())
}
