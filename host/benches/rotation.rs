//! `keyhost state rotate` over many states, beside the derivations that it has
//! to make. `make bench` writes the table into docs/state-files.md.

#![allow(clippy::print_stdout, missing_docs)]

#[path = "peers/libcrypto.rs"]
mod libcrypto;
#[path = "peers/machine.rs"]
mod machine;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use keyhost::crypto::HashFunction;
use keyhost::crypto::pbkdf2::{self, Job};
use keyhost::digest::Digest;
use keyhost::secret::Secret;

use libcrypto::Libcrypto;

/// Where the table stands in the document.
const BEGIN: &str = "<!-- figures -->\n";
const END: &str = "<!-- end of figures -->\n";

/// The default of OpenTofu.
const ITERATIONS: u32 = 600_000;

const PASSPHRASE: &[u8] = b"correct horse battery staple";

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
    #[arg(long, value_name = "N", default_value_t = 3)]
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
        let document = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let parts = document
            .split_once(BEGIN)
            .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
        let Some((before, after)) = parts else {
            bail!("the document has no place for the figures");
        };
        fs::write(path, format!("{before}{BEGIN}\n{figures}\n{END}{after}"))?;
    }
    Ok(())
}

fn figures(states: usize, rounds: usize) -> anyhow::Result<String> {
    let scene = Scene::new(states)?;
    let libcrypto = Libcrypto::load()?;
    let mut openssl = Vec::new();
    let mut bare = Vec::new();
    let mut changed = Vec::new();
    let mut same = Vec::new();
    for _ in 0..rounds {
        openssl.push(openssl_derivations(&libcrypto, states * DERIVATIONS)?);
        bare.push(derivations(states * DERIVATIONS));
        scene.encrypt_with("old")?;
        changed.push(scene.rotate("new", Some("old"))?);
        same.push(scene.rotate("new", None)?);
    }
    let mut text = machine::description(&libcrypto)?;
    let _ = write!(
        text,
        "\n{states} states, PBKDF2 with SHA-512 and {ITERATIONS} iterations, {rounds} rounds:\n\n| | least s | ms a state | ratio |\n|---|---|---|---|\n"
    );
    let least = |times: Vec<Duration>| times.into_iter().min().unwrap_or_default().as_secs_f64();
    let bare = least(bare);
    for (name, seconds) in [
        (
            "OpenSSL's libcrypto, two derivations for each state, on every processor",
            least(openssl),
        ),
        ("keyhost's bare derivations, as many", bare),
        (
            "`keyhost state rotate` from one passphrase to another",
            least(changed),
        ),
        ("`keyhost state rotate`, the same passphrase", least(same)),
    ] {
        let each = seconds * 1000.0 / states as f64;
        let ratio = seconds / bare;
        let _ = writeln!(text, "| {name} | {seconds:.1} | {each:.0} | {ratio:.3} |");
    }
    Ok(text)
}

/// As many threads as there are processors, each with its share.
fn openssl_derivations(libcrypto: &Libcrypto, number: usize) -> anyhow::Result<Duration> {
    let threads = thread::available_parallelism()?.get();
    let started = Instant::now();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                scope.spawn(move || {
                    (worker..number).step_by(threads).try_for_each(|number| {
                        let salt = number.to_le_bytes().repeat(4);
                        let key = libcrypto.derive(true, PASSPHRASE, &salt, ITERATIONS)?;
                        ensure!(key != [0; 32], "no key");
                        Ok(())
                    })
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(_) => bail!("a thread panicked"),
            })
    })?;
    Ok(started.elapsed())
}

fn derivations(number: usize) -> Duration {
    let job = |number: usize| Job {
        password: Secret::from(PASSPHRASE),
        salt: number.to_le_bytes().repeat(4),
        iterations: ITERATIONS,
        key_length: 32,
        hash: HashFunction::Sha512,
    };
    let jobs: Vec<_> = (0..number).map(job).collect();
    let started = Instant::now();
    let keys = pbkdf2::derive(&jobs);
    assert_eq!(keys.len(), number);
    started.elapsed()
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

    fn rotate(&self, first: &str, fallback: Option<&str>) -> anyhow::Result<Duration> {
        self.configure(first, fallback)?;
        let mut arguments = vec!["rotate"];
        arguments.extend(self.names.iter().map(String::as_str));
        let started = Instant::now();
        self.keyhost(&arguments)?;
        Ok(started.elapsed())
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
