//! Files that are read and written again, on the spot or elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use keyhost::envelope::Contents;
use keyhost::state::Sealed;

use super::batch::{self, Batch};
use crate::cli::{Destination, StateFiles};
use crate::error::UsageError;
use crate::files::{self, Access, Original};
use crate::stderr;

/// What a command makes of a file.
pub(super) struct Rewritten {
    pub(super) sealed: Sealed,
    /// Whether the file is another one now.
    pub(super) changed: bool,
    /// The fallback that opened it.
    pub(super) fallback: Option<String>,
}

/// One command's way with files.
pub(super) struct Rewrite<'a> {
    /// What it does to them, for the summary.
    pub(super) done: &'static str,
    /// What one is where it fails.
    pub(super) failure: &'static str,
    pub(super) output: Option<&'a Path>,
    pub(super) in_place: bool,
    /// Who may read the output.
    pub(super) access: Access,
}

impl<'a> Rewrite<'a> {
    /// Refuses to print several files in one.
    pub(super) fn to(
        destination: &'a Destination,
        files: &StateFiles,
        done: &'static str,
        failure: &'static str,
        access: Access,
    ) -> Result<Self, UsageError> {
        batch::refuse_two_streams(&files.files)?;
        if !destination.in_place && files.files.len() > 1 {
            return Err(UsageError("several files need --in-place"));
        }
        Ok(Self {
            done,
            failure,
            output: destination.output.as_deref(),
            in_place: destination.in_place,
            access,
        })
    }

    /// Does it to all files. On a file's failure nothing of it is written.
    pub(super) fn run(
        &self,
        files: &StateFiles,
        change: impl Fn(Contents) -> anyhow::Result<Rewritten> + Sync,
    ) -> anyhow::Result<()> {
        if self.in_place {
            return self.all_in_place(files, change);
        }
        for path in &files.files {
            self.one_elsewhere(path, &change)?;
        }
        Ok(())
    }

    fn one_elsewhere(
        &self,
        path: &Path,
        change: impl Fn(Contents) -> anyhow::Result<Rewritten>,
    ) -> anyhow::Result<()> {
        let itself = self.output.filter(|output| files::are_one(path, output));
        if let Some(output) = itself {
            return self
                .one_onto_itself(output, change)
                .with_context(|| format!("{} {}", files::name(path), self.failure));
        }
        let rewritten = batch::with_contents(path, self.failure, change)?;
        if let Some(fallback) = &rewritten.fallback {
            stderr::note(&format!("opened by the fallback {fallback}"));
        }
        let content = |writer: &mut dyn std::io::Write| rewritten.sealed.write(&mut { writer });
        match self.output {
            Some(output) => files::replace_with(output, &content, self.access),
            None => files::print_with(&content),
        }
    }

    /// As in place, with the access that an output has.
    fn one_onto_itself(
        &self,
        output: &Path,
        change: impl Fn(Contents) -> anyhow::Result<Rewritten>,
    ) -> anyhow::Result<()> {
        let original = Original::open(output)?;
        let rewritten = change(Contents::of(original.read()?)?)?;
        if let Some(fallback) = &rewritten.fallback {
            stderr::note(&format!("opened by the fallback {fallback}"));
        }
        let content = |writer: &mut dyn std::io::Write| rewritten.sealed.write(&mut { writer });
        original.replace(&content, self.access)?;
        warn_of_other_names(&original, output);
        Ok(())
    }

    fn all_in_place(
        &self,
        files: &StateFiles,
        change: impl Fn(Contents) -> anyhow::Result<Rewritten> + Sync,
    ) -> anyhow::Result<()> {
        let paths = without_duplicates(&files.files);
        let batch = Batch::new(&paths, files.jobs);
        let results = batch.map(|path| {
            self.one_in_place(path, &change)
                .with_context(|| format!("{} {}", files::name(path), self.failure))
        });
        stderr::note(&self.summary(&batch, &results));
        batch.finish(results)
    }

    /// Returns what became of the file, without its content.
    fn one_in_place(
        &self,
        path: &Path,
        change: impl Fn(Contents) -> anyhow::Result<Rewritten>,
    ) -> anyhow::Result<Outcome> {
        let (original, bytes) = if files::is_standard_stream(path) {
            (None, files::read(path)?)
        } else {
            let original = Original::open(path)?;
            let bytes = original.read()?;
            (Some(original), bytes)
        };
        let rewritten = change(Contents::of(bytes)?)?;
        let content = |writer: &mut dyn std::io::Write| rewritten.sealed.write(&mut { writer });
        match &original {
            None => files::print_with(&content)?,
            Some(original) if rewritten.changed => {
                match &rewritten.sealed {
                    Sealed::Envelope(_) => original.replace(&content, self.access)?,
                    Sealed::Unencrypted(_) => {
                        original.replace_in_the_clear(&content)?;
                        warn_of_readers(original, path);
                    }
                }
                warn_of_other_names(original, path);
            }
            Some(_) => {}
        }
        Ok(Outcome {
            changed: rewritten.changed,
            by_fallback: rewritten.fallback.is_some(),
        })
    }

    fn summary(&self, batch: &Batch<'_>, results: &[anyhow::Result<Outcome>]) -> String {
        let count = |wanted: &dyn Fn(&Outcome) -> bool| {
            let outcomes = batch.succeeded(results);
            outcomes.filter(|(_, outcome)| wanted(outcome)).count()
        };
        let changed = count(&|outcome| outcome.changed);
        let mut summary = format!("{changed} of {} files {}", batch.len(), self.done);
        for (number, what) in [
            (
                count(&|outcome| outcome.by_fallback),
                "opened by a fallback",
            ),
            (count(&|outcome| !outcome.changed), "unchanged"),
            (
                results.iter().filter(|result| result.is_err()).count(),
                "failed",
            ),
        ] {
            if number > 0 {
                summary += &format!(", {number} {what}");
            }
        }
        summary
    }
}

fn warn_of_readers(original: &Original, path: &Path) {
    if original.is_readable_by_others() {
        let name = files::name(path);
        stderr::warning(&format!("{name} is in the clear, and others may read it"));
    }
}

fn warn_of_other_names(original: &Original, path: &Path) {
    if original.has_other_names() {
        let name = files::name(path);
        stderr::warning(&format!(
            "{name} has other names (hard links), which keep the old content"
        ));
    }
}

struct Outcome {
    changed: bool,
    by_fallback: bool,
}

/// A file that is named twice, or by a link, is changed once.
fn without_duplicates(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let once = paths.iter().filter(|path| match fs::canonicalize(path) {
        Ok(canonical) => seen.insert(canonical),
        Err(_) => true,
    });
    once.cloned().collect()
}
