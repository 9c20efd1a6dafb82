use std::fmt::Write;

use keyhost::config::target::TargetName;
use keyhost::envelope::Contents;
use keyhost::state::Opened;
use serde_json::{Value, json};

use super::batch::{self, Batch};
use super::targets::Targets;
use crate::cli::{Format, Global, StateVerify};
use crate::files;

/// What opened a file.
struct Verified {
    target: TargetName,
    encrypted: bool,
    method: String,
    by_fallback: bool,
}

/// Tells which method opens each file.
pub(crate) fn run(global: &Global, command: &StateVerify) -> anyhow::Result<()> {
    batch::refuse_two_streams(&command.files.files)?;
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let targets = Targets::new(&config, &providers, command.files.target.as_ref());
    let batch = Batch::new(&command.files.files, command.files.jobs);
    let results = batch.map(|path| {
        batch::with_contents(path, "is not verified", |contents| {
            verify(&targets, contents)
        })
    });
    let report = match command.format {
        Format::Text => text(&batch, &results),
        Format::Json => {
            let entries = command.files.files.iter().zip(&results);
            let entries: Value = entries
                .map(|(path, result)| entry(&path.display().to_string(), result))
                .collect();
            serde_json::to_string_pretty(&entries)? + "\n"
        }
    };
    files::print(report.as_bytes())?;
    batch.finish(results)
}

fn verify(targets: &Targets<'_>, contents: Contents) -> anyhow::Result<Verified> {
    let target = targets.name(&contents);
    let encrypted = matches!(contents, Contents::Encrypted(_));
    let Opened {
        method,
        by_fallback,
        ..
    } = targets.open(contents)?;
    Ok(Verified {
        target,
        encrypted,
        method,
        by_fallback,
    })
}

fn text(batch: &Batch<'_>, results: &[anyhow::Result<Verified>]) -> String {
    let mut text = String::new();
    for (path, verified) in batch.succeeded(results) {
        let _ = writeln!(
            text,
            "{}: {}, {} {}",
            files::name(path),
            verified.target,
            match (verified.encrypted, verified.by_fallback) {
                (true, false) => "opened by",
                (true, true) => "opened by the fallback",
                (false, _) => "in the clear, as allowed by",
            },
            verified.method,
        );
    }
    text
}

fn entry(file: &str, result: &anyhow::Result<Verified>) -> Value {
    match result {
        Ok(verified) => json!({
            "file": file,
            "target": verified.target.to_string(),
            "encrypted": verified.encrypted,
            "method": verified.method,
            "fallback": verified.by_fallback,
        }),
        Err(error) => json!({"file": file, "error": format!("{error:#}")}),
    }
}
