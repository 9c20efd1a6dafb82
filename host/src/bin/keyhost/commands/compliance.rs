use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use keyhost::component::cache::Cache;
use keyhost::engine::Engine;
use keyhost::grants::Grants;
use keyhost_compliance::case::{CaseError, Cases};
use keyhost_compliance::report::{Verdict, json, junit, text};
use keyhost_compliance::runner::{self, Options, Selection};

use crate::cli::{Compliance, Global, LogLevel, ReportFormat};
use crate::error::NotCompliant;
use crate::files::{self, Access};
use crate::side_by_side;
use crate::stderr::StderrLog;
use crate::subject;

/// A report is for everybody to read.
const ACCESS: Access = Access::Kept(0o644);

/// Judges components.
pub(crate) fn run(global: &Global, command: &Compliance) -> anyhow::Result<()> {
    if command.schema {
        let schema = serde_json::to_string_pretty(&Cases::schema())? + "\n";
        return files::print(schema.as_bytes());
    }
    let judge = Judge {
        engine: Engine::pooling()?,
        cache: global.cache(),
        cases: command.cases.as_deref(),
        // What thousands of calls say is for those who look for something.
        shown: (global.log < LogLevel::Warn).then(|| global.log_sink()),
        grants: Grants {
            reveal: command.reveal,
            storage: false,
        },
        selection: Selection::new(&command.suite)?,
        options: Options {
            seed: command.seed,
            memory: command.memory,
            ..Options::default()
        },
    };
    let components = shard(&command.components, command.shard);
    let verdicts = judge.all(&components, command.jobs)?;
    report(command, &verdicts)?;
    if verdicts.iter().any(|verdict| verdict.result.is_err()) {
        return Err(NotCompliant::Refused.into());
    }
    if !verdicts.iter().all(|verdict| verdict.holds(command.strict)) {
        return Err(NotCompliant::Failed.into());
    }
    Ok(())
}

/// The same part whatever the order of the arguments.
fn shard(components: &[PathBuf], shard: Option<(usize, usize)>) -> Vec<PathBuf> {
    let mut sorted = components.to_vec();
    sorted.sort();
    let Some((part, parts)) = shard else {
        return sorted;
    };
    let every = sorted.into_iter().enumerate();
    every
        .filter(|(position, _)| position % parts == part - 1)
        .map(|(_, path)| path)
        .collect()
}

fn report(command: &Compliance, verdicts: &[Verdict]) -> anyhow::Result<()> {
    let coloured = command.output.is_none()
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none();
    let report = match command.format {
        ReportFormat::Text => text::render(verdicts, command.strict, coloured),
        ReportFormat::Json => {
            serde_json::to_string_pretty(&json::render(verdicts, command.strict))? + "\n"
        }
        ReportFormat::Junit => junit::render(verdicts, command.strict)?,
    };
    match &command.output {
        Some(path) => files::replace(path, report.as_bytes(), ACCESS),
        None => files::print(report.as_bytes()),
    }
}

struct Judge<'a> {
    engine: Engine,
    cache: Cache,
    cases: Option<&'a Path>,
    shown: Option<Arc<StderrLog>>,
    grants: Grants,
    selection: Selection,
    options: Options,
}

impl Judge<'_> {
    /// Judges all components, some side by side.
    fn all(&self, components: &[PathBuf], jobs: usize) -> anyhow::Result<Vec<Verdict>> {
        let name = |path: &PathBuf| path.display().to_string();
        side_by_side::map(components, jobs, name, |path| self.one(path))
            .into_iter()
            .collect()
    }

    fn one(&self, path: &Path) -> anyhow::Result<Verdict> {
        let cases = self.cases_of(path)?;
        let component = path.display().to_string();
        let shown = self.shown.clone();
        let result = match subject::load(&self.engine, &self.cache, path, self.grants, shown) {
            Ok(subject) => Ok(runner::judge(
                &*subject,
                cases.as_ref(),
                &self.selection,
                self.options,
            )),
            Err(refused) => Err(refused.to_string()),
        };
        Ok(Verdict {
            component,
            cases: self.cases.map(|path| path.display().to_string()),
            result,
        })
    }

    /// The case file that was named, or the one beside the component.
    fn cases_of(&self, component: &Path) -> anyhow::Result<Option<Cases>> {
        let beside = component.with_extension("compliance.toml");
        let path = match self.cases {
            Some(path) => path,
            None if beside.exists() => &beside,
            None => return Ok(None),
        };
        let bytes = files::read(path)?;
        let name = path.display().to_string();
        let text = std::str::from_utf8(&bytes).with_context(|| format!("{name} is not UTF-8"))?;
        Cases::parse(&name, text)
            .map(Some)
            .map_err(|error: CaseError| error.into())
    }
}
