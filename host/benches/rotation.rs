//! `keyhost state rotate` over many states, beside the derivations that it has
//! to make. `make bench` writes the table into docs/state-files.md.

#![allow(clippy::print_stdout, missing_docs)]

mod document;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Parser;
use keyhost::crypto::HashFunction;
use keyhost::crypto::pbkdf2::{self, Job};
use keyhost::digest::Digest;
use keyhost::secret::Secret;

/// The default of OpenTofu.
const ITERATIONS: u32 = 600_000;

const PASSPHRASE: &[u8] = b"correct horse battery staple";

/// What Linux counts the time of processes in.
const TICKS_A_SECOND: f64 = 100.0;

/// The old key and the new one.
const DERIVATIONS: usize = 2;

#[derive(Parser)]
struct Arguments {
    /// The document whose table is replaced
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// How many states are rotated
    #[arg(long, value_name = "N", default_value_t = 200)]
    states: usize,
    /// How often each is measured, in turn
    #[arg(long, value_name = "N", default_value_t = 1)]
    rounds: usize,
    /// Cargo passes this
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let figures = figures(arguments.states, arguments.rounds)?;
    println!("{figures}");
    if let Some(path) = &arguments.write {
        document::replace(path, &figures)?;
    }
    Ok(())
}

fn figures(states: usize, rounds: usize) -> anyhow::Result<String> {
    let scene = Scene::new(states)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    let mut rows = [
        (
            "the bare derivations, two for each state, on every processor",
            Vec::new(),
        ),
        (
            "`keyhost state rotate` from one passphrase to another",
            Vec::new(),
        ),
        ("`keyhost state rotate`, the same passphrase", Vec::new()),
    ];
    for _ in 0..rounds {
        rows[0]
            .1
            .push(Cost::of(|| derivations(states * DERIVATIONS))?);
        scene.encrypt_with("old")?;
        rows[1]
            .1
            .push(Cost::of(|| scene.rotate("new", Some("old")))?);
        rows[2].1.push(Cost::of(|| scene.rotate("new", None))?);
    }
    let mut text = format!(
        "{states} states, PBKDF2 with SHA-512 and {ITERATIONS} iterations, keyhost {}, {} processors, a load\nof {load} before; the least of each in {rounds} rounds:\n\n| | s | s of processors | ms of them a state | ratio |\n|---|---|---|---|---|\n",
        env!("CARGO_PKG_VERSION"),
        thread::available_parallelism()?,
    );
    let mut first = None;
    for (name, costs) in rows {
        let elapsed = costs
            .iter()
            .map(|cost| cost.elapsed)
            .fold(f64::INFINITY, f64::min);
        let worked = costs
            .iter()
            .map(|cost| cost.worked)
            .fold(f64::INFINITY, f64::min);
        let ratio = worked / *first.get_or_insert(worked);
        let each = worked * 1000.0 / states as f64;
        let _ = writeln!(
            text,
            "| {name} | {elapsed:.1} | {worked:.1} | {each:.0} | {ratio:.3} |"
        );
    }
    Ok(text)
}

/// What some work took, in seconds.
struct Cost {
    elapsed: f64,
    /// Of all processors together: others at work on the machine count less.
    worked: f64,
}

impl Cost {
    fn of(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Self> {
        let (started, before) = (Instant::now(), worked()?);
        work()?;
        Ok(Self {
            elapsed: started.elapsed().as_secs_f64(),
            worked: worked()? - before,
        })
    }
}

/// The processors' time of this process and of its children that ended.
fn worked() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").context("/proc/self/stat")?;
    // utime, stime, cutime and cstime of proc_pid_stat(5).
    let times = fields.split(' ').skip(11).take(4).map(str::parse::<u64>);
    let ticks: u64 = times.sum::<Result<_, _>>()?;
    Ok(ticks as f64 / TICKS_A_SECOND)
}

fn derivations(number: usize) -> anyhow::Result<()> {
    let job = |number: usize| Job {
        password: Secret::from(PASSPHRASE),
        salt: number.to_le_bytes().repeat(4),
        iterations: ITERATIONS,
        key_length: 32,
        hash: HashFunction::Sha512,
    };
    let jobs: Vec<_> = (0..number).map(job).collect();
    let keys = pbkdf2::derive(&jobs);
    ensure!(keys.len() == number, "keys are missing");
    Ok(())
}

/// A directory of states.
struct Scene {
    directory: tempfile::TempDir,
    component: String,
    names: Vec<String>,
}

impl Scene {
    fn new(states: usize) -> anyhow::Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../target/guests/pbkdf2.wasm")
            .canonicalize()
            .context("a guest is missing: run `make guests`")?;
        let digest = Digest::of(&fs::read(&path)?);
        Ok(Self {
            directory: tempfile::tempdir()?,
            component: format!(
                "component \"pbkdf2\" {{\n  path   = \"{}\"\n  sha256 = \"{digest}\"\n}}\n",
                path.display()
            ),
            names: (0..states)
                .map(|number| format!("{number}.tfstate"))
                .collect(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Has a method encrypt, and perhaps another decrypt, too.
    fn configure(&self, first: &str, fallback: Option<&str>) -> anyhow::Result<()> {
        let mut text = self.component.clone() + "encryption {\n";
        for name in ["old", "new"] {
            let _ = write!(
                text,
                "  key_provider \"pbkdf2\" \"{name}\" {{
    passphrase = \"a passphrase that is {name}\"
    iterations = {ITERATIONS}
  }}
  method \"aes_gcm\" \"{name}\" {{
    keys = key_provider.pbkdf2.{name}
  }}\n"
            );
        }
        let fallback = fallback.map_or_else(String::new, |name| {
            format!("    fallback {{\n      method = method.aes_gcm.{name}\n    }}\n")
        });
        let _ = write!(
            text,
            "  state {{\n    method = method.aes_gcm.{first}\n{fallback}  }}\n}}\n"
        );
        Ok(fs::write(self.path("keyhost.hcl"), text)?)
    }

    /// One state, encrypted once and copied.
    fn encrypt_with(&self, name: &str) -> anyhow::Result<()> {
        self.configure(name, None)?;
        let state = format!(
            "{{\"version\":4,\"serial\":1,\"lineage\":\"l\",\"outputs\":\"{}\"}}",
            "x".repeat(20_000)
        );
        fs::write(self.path("plain"), state)?;
        self.keyhost(&["encrypt", "plain", "-o", "encrypted"])?;
        for name in &self.names {
            fs::copy(self.path("encrypted"), self.path(name))?;
        }
        Ok(())
    }

    fn rotate(&self, first: &str, fallback: Option<&str>) -> anyhow::Result<()> {
        self.configure(first, fallback)?;
        let mut arguments = vec!["rotate"];
        arguments.extend(self.names.iter().map(String::as_str));
        self.keyhost(&arguments)
    }

    fn keyhost(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let status = Command::new(Path::new(env!("CARGO_BIN_EXE_keyhost")))
            .arg("state")
            .args(arguments)
            .current_dir(self.directory.path())
            .env("KEYHOST_CACHE_DIR", self.path("cache"))
            .stderr(Stdio::null())
            .status()?;
        ensure!(status.success(), "keyhost failed: {status}");
        Ok(())
    }
}
