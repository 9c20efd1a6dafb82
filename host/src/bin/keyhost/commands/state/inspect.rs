use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use keyhost::envelope::{Contents, VERSION};
use keyhost::state::inspection::{Entry, EnvelopeFacts, Inspection, Parameters};
use serde_json::{Value, json};

use super::batch::{self, Batch};
use crate::cli::{Format, StateInspect};
use crate::files;

struct Inspected {
    /// In bytes.
    size: usize,
    inspection: Inspection,
}

/// Shows what files say without any key.
pub(crate) fn run(command: &StateInspect) -> anyhow::Result<()> {
    batch::refuse_two_streams(&command.files)?;
    let batch = Batch::new(&command.files, Some(1));
    let results = batch.map(inspect);
    let report = match command.format {
        Format::Text => {
            let texts = batch.succeeded(&results);
            let texts: Vec<_> = texts
                .map(|(path, inspected)| text(&files::name(path), inspected))
                .collect();
            texts.join("\n")
        }
        Format::Json => {
            let entries = command.files.iter().zip(&results);
            let entries: Value = entries
                .map(|(path, result)| match result {
                    Ok(inspected) => entry(path, inspected),
                    Err(error) => json!({
                        "file": path.display().to_string(),
                        "error": format!("{error:#}"),
                    }),
                })
                .collect();
            serde_json::to_string_pretty(&entries)? + "\n"
        }
    };
    files::print(report.as_bytes())?;
    batch.finish(results)
}

fn inspect(path: &Path) -> anyhow::Result<Inspected> {
    let bytes = files::read(path)?;
    let size = bytes.len();
    let inspection = Contents::of(bytes).and_then(|contents| Inspection::of(&contents));
    Ok(Inspected {
        size,
        inspection: inspection
            .with_context(|| format!("{} cannot be inspected", files::name(path)))?,
    })
}

fn text(name: &str, inspected: &Inspected) -> String {
    let Inspected { size, inspection } = inspected;
    let state = match inspection.envelope {
        Some(_) => "encrypted",
        None => "not encrypted",
    };
    let mut text = format!(
        "{name}: {}, {state}\n  size            {size} bytes\n",
        inspection.kind
    );
    // Writing to a text cannot fail.
    if let Some(identity) = &inspection.identity {
        let serial = match identity.serial {
            Some(serial) => serial.to_string(),
            None => "none".to_owned(),
        };
        let lineage = match identity.lineage.as_str() {
            "" => "none",
            lineage => lineage,
        };
        let _ = writeln!(
            text,
            "  serial          {serial}\n  lineage         {lineage}"
        );
    }
    if let Some(facts) = &inspection.envelope {
        facts_text(&mut text, facts);
    }
    text
}

fn facts_text(text: &mut String, facts: &EnvelopeFacts) {
    let _ = writeln!(
        text,
        "  version         {VERSION}\n  encrypted data  {} bytes",
        facts.encrypted_data
    );
    for Entry {
        key,
        length,
        parameters,
    } in &facts.metadata
    {
        let _ = writeln!(text, "  metadata        {key}, {length} bytes");
        match parameters {
            Ok(parameters) => parameters_text(text, parameters),
            Err(reason) => {
                let _ = writeln!(text, "    cannot be read: {reason}");
            }
        }
    }
    if facts.more > 0 {
        let _ = writeln!(text, "  metadata        and {} more", facts.more);
    }
}

fn parameters_text(text: &mut String, parameters: &Parameters) {
    let Parameters { values, more } = parameters;
    let lengths = values.keys().map(|name| name.chars().count());
    // A name can be as long as it likes; the others do not follow it.
    let width = lengths.max().unwrap_or(0).min(20);
    for (name, value) in values {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let _ = writeln!(text, "    {name:width$}  {value}");
    }
    if *more > 0 {
        let _ = writeln!(text, "    and {more} more");
    }
}

fn entry(path: &Path, inspected: &Inspected) -> Value {
    let Inspected { size, inspection } = inspected;
    let mut entry = json!({
        "file": path.display().to_string(),
        "size": size,
        "kind": inspection.kind.to_string(),
        "encrypted": inspection.envelope.is_some(),
    });
    if let Some(identity) = &inspection.identity {
        entry["serial"] = json!(identity.serial);
        entry["lineage"] = json!(identity.lineage);
    }
    if let Some(facts) = &inspection.envelope {
        entry["encryption_version"] = json!(VERSION);
        entry["encrypted_data_size"] = json!(facts.encrypted_data);
        let metadata = facts.metadata.iter().map(|entry| match &entry.parameters {
            Ok(Parameters { values, more }) => {
                let mut shown =
                    json!({"key": entry.key, "size": entry.length, "parameters": values});
                if *more > 0 {
                    shown["more"] = json!(more);
                }
                shown
            }
            Err(reason) => json!({"key": entry.key, "size": entry.length, "error": reason}),
        });
        entry["metadata"] = metadata.collect();
        if facts.more > 0 {
            entry["more"] = json!(facts.more);
        }
    }
    entry
}
