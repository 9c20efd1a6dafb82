//! Many files at once: one that fails does not stop the others.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use keyhost::envelope::Contents;

use crate::error::{SeveralFailed, UsageError};
use crate::files;
use crate::side_by_side;
use crate::stderr;

/// Files, and how many of them are worked on at once.
pub(super) struct Batch<'a> {
    files: &'a [PathBuf],
    jobs: usize,
}

impl<'a> Batch<'a> {
    pub(super) fn new(files: &'a [PathBuf], jobs: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        Self {
            files,
            jobs: jobs.unwrap_or_else(processors),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Works on every file.
    pub(super) fn map<T: Send>(
        &self,
        work: impl Fn(&Path) -> anyhow::Result<T> + Sync,
    ) -> Vec<anyhow::Result<T>> {
        let name = |path: &PathBuf| files::name(path);
        side_by_side::map(self.files, self.jobs, name, |path| work(path))
    }

    /// The files and what came of them, for those that did not fail.
    pub(super) fn succeeded<'r, T>(
        &'r self,
        results: &'r [anyhow::Result<T>],
    ) -> impl Iterator<Item = (&'r Path, &'r T)> {
        let pairs = self.files.iter().zip(results);
        pairs.filter_map(|(path, result)| Some((path.as_path(), result.as_ref().ok()?)))
    }

    /// Fails if any file did: with its own error where there is one file only,
    /// else after telling every error.
    pub(super) fn finish<T>(&self, results: Vec<anyhow::Result<T>>) -> anyhow::Result<()> {
        let mut errors: Vec<_> = results.into_iter().filter_map(Result::err).collect();
        if self.len() > 1 && !errors.is_empty() {
            errors.iter().for_each(stderr::error);
            return Err(SeveralFailed::of(&errors, self.len()).into());
        }
        errors.pop().map_or(Ok(()), Err)
    }
}

/// Standard input ends with the first file.
pub(super) fn refuse_two_streams(files: &[PathBuf]) -> Result<(), UsageError> {
    let streams = files.iter().filter(|path| files::is_standard_stream(path));
    if streams.count() > 1 {
        return Err(UsageError("standard input (-) can be read once"));
    }
    Ok(())
}

/// Reads a file and works on what it holds. `failure` says what was not done.
pub(super) fn with_contents<T>(
    path: &Path,
    failure: &str,
    work: impl FnOnce(Contents) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let contents = Contents::of(files::read(path)?);
    let worked = contents.map_err(Into::into).and_then(work);
    worked.with_context(|| format!("{} {failure}", files::name(path)))
}
