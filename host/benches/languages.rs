//! One provider in every language: what each component takes. `make bench`
//! writes the table into docs/writing-a-provider.md.

#![allow(clippy::print_stdout, missing_docs)]

mod document;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use serde_json::Value;

/// The pbkdf2 provider's components, by the language of each.
const COMPONENTS: [(&str, &str); 4] = [
    ("Rust", "pbkdf2"),
    ("C", "pbkdf2-c"),
    ("JavaScript", "pbkdf2-javascript"),
    ("Python", "pbkdf2-python"),
];

#[derive(Parser)]
struct Arguments {
    /// The document whose table is replaced
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// How often a first start is measured
    #[arg(long, value_name = "N", default_value_t = 3)]
    first: usize,
    /// How often a later start is measured
    #[arg(long, value_name = "N", default_value_t = 21)]
    later: usize,
    /// Cargo passes this
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut table = "Whole processes of `keyhost inspect`, the least of several; memory and\n\
         instructions are those of the calls that the suite's `limits` makes:\n\n\
         | language | bytes | first start ms | later start ms | memory KiB | instructions |\n\
         |---|---|---|---|---|---|\n"
        .to_owned();
    for (language, name) in COMPONENTS {
        let component = Component::new(name)?;
        let _ = writeln!(
            table,
            "| {language} | {} | {:.0} | {:.1} | {} | {} |",
            fs::metadata(&component.path)?.len(),
            component.first_start(arguments.first)?,
            component.later_start(arguments.later)?,
            component.needs("memory")?.div_ceil(1024),
            component.needs("fuel")?,
        );
    }
    println!("{table}");
    match &arguments.write {
        Some(path) => document::replace(path, &table),
        None => Ok(()),
    }
}

struct Component {
    path: PathBuf,
    cache: tempfile::TempDir,
}

impl Component {
    fn new(name: &str) -> anyhow::Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../target/guests")
            .join(format!("{name}.wasm"))
            .canonicalize()
            .with_context(|| format!("{name}.wasm is missing: run `make guests`"))?;
        let cache = tempfile::tempdir()?;
        Ok(Self { path, cache })
    }

    /// With compilation, in milliseconds.
    fn first_start(&self, times: usize) -> anyhow::Result<f64> {
        least(times, || {
            fs::remove_dir_all(self.cache.path())?;
            self.start()
        })
    }

    /// Out of the cache, in milliseconds.
    fn later_start(&self, times: usize) -> anyhow::Result<f64> {
        self.start()?;
        least(times, || self.start())
    }

    fn start(&self) -> anyhow::Result<Duration> {
        let started = Instant::now();
        let status = self.keyhost("inspect").stdout(Stdio::null()).status()?;
        let elapsed = started.elapsed();
        ensure!(status.success(), "{} is refused", self.path.display());
        Ok(elapsed)
    }

    /// What a check of limits found, in bytes or instructions.
    fn needs(&self, limit: &str) -> anyhow::Result<u64> {
        let check = format!("limits/{limit}");
        let output = self
            .keyhost("compliance")
            .args(["--suite", &check, "--format", "json"])
            .output()?;
        let report: Value = serde_json::from_slice(&output.stdout)?;
        let detail = report["components"][0]["checks"][0]["detail"].as_str();
        let number = detail.and_then(|detail| detail.split(' ').next());
        Ok(number.context("no figure in the report")?.parse()?)
    }

    fn keyhost(&self, command: &str) -> Command {
        let mut keyhost = Command::new(env!("CARGO_BIN_EXE_keyhost"));
        keyhost
            .arg("--cache-dir")
            .arg(self.cache.path())
            .arg(command)
            .arg(&self.path);
        keyhost
    }
}

fn least(times: usize, mut run: impl FnMut() -> anyhow::Result<Duration>) -> anyhow::Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..times {
        least = least.min(run()?.as_secs_f64() * 1000.0);
    }
    Ok(least)
}
