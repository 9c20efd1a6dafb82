//! Whole processes, as OpenTofu starts them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use keyhost::crypto::HashFunction;
use keyhost::crypto::pbkdf2::derive;
use keyhost::digest::Digest;
use serde_json::Value;

use crate::derivations::{ITERATIONS, job, timed};
use crate::guests;
use crate::measure::Comparison;

/// A configuration, a cache, and programs that use them.
pub(crate) struct Processes {
    directory: tempfile::TempDir,
    peers: PathBuf,
    /// The interpreter itself, where `python3` is a script that looks for it.
    python: String,
}

impl Processes {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let component = |name: &str| -> anyhow::Result<String> {
            let path = guests::path(name);
            let digest = Digest::of(&fs::read(&path)?);
            let path = path.display();
            Ok(format!(
                "component \"{name}\" {{\n  path   = \"{path}\"\n  sha256 = \"{digest}\"\n}}\n"
            ))
        };
        let directory = tempfile::tempdir()?;
        let config = format!(
            "{}{}encryption {{
  key_provider \"static\" \"main\" {{
    key = \"6f6f706830656f67686f6834616872756f3751756165686565796f6f72653169\"
  }}
  key_provider \"pbkdf2\" \"main\" {{
    passphrase = \"correct-horse-battery-staple\"
    iterations = {ITERATIONS}
  }}
}}\n",
            component("static")?,
            component("pbkdf2")?
        );
        fs::write(directory.path().join("keyhost.hcl"), config)?;
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
        let python = run(
            Command::new("python3").args(["-c", "import sys; print(sys.executable)"]),
            "",
        )?;
        Ok(Self {
            directory,
            peers,
            python: python.trim().to_owned(),
        })
    }

    pub(crate) fn static_key(&self, rounds: usize) -> anyhow::Result<String> {
        let mut comparison =
            Comparison::new("Whole processes: `external`, a fixed key, to encrypt");
        comparison.add("/bin/true", || time(&mut Command::new("/bin/true"), "null"));
        comparison.add("keyhost, cache warm", || {
            time(&mut self.keyhost("static", "warm"), "null")
        });
        comparison.add("keyhost, cache cold", || {
            let _ = fs::remove_dir_all(self.directory.path().join("cold"));
            time(&mut self.keyhost("static", "cold"), "null")
        });
        comparison.add("a shell script", || {
            time(&mut self.script("sh", "static_provider.sh"), "null")
        });
        comparison.add("a Python program", || {
            time(&mut self.script(&self.python, "static_provider.py"), "null")
        });
        comparison.run(rounds)
    }

    pub(crate) fn derived_key(&self, rounds: usize) -> anyhow::Result<String> {
        let title = "Whole processes: `external`, pbkdf2 with sha512, to encrypt";
        let mut comparison = Comparison::new(title);
        comparison.add("the bare derivation, in this process", || {
            timed(|| Ok(derive(&[job(HashFunction::Sha512)])))
        });
        comparison.add("keyhost, cache warm", || {
            time(&mut self.keyhost("pbkdf2", "warm"), "null")
        });
        comparison.add("a Python program", || {
            time(&mut self.script(&self.python, "pbkdf2_provider.py"), "null")
        });
        comparison.run(rounds)
    }

    pub(crate) fn derived_keys(&self, rounds: usize) -> anyhow::Result<String> {
        let title = "Whole processes: `external`, pbkdf2 with sha512, to decrypt and encrypt";
        let ours = self.stored(&mut self.keyhost("pbkdf2", "warm"))?;
        let pythons = self.stored(&mut self.script(&self.python, "pbkdf2_provider.py"))?;
        let mut comparison = Comparison::new(title);
        comparison.add("the two bare derivations, in this process", || {
            timed(|| {
                Ok(derive(&[
                    job(HashFunction::Sha512),
                    job(HashFunction::Sha512),
                ]))
            })
        });
        comparison.add("keyhost, cache warm", || {
            time(&mut self.keyhost("pbkdf2", "warm"), &ours)
        });
        comparison.add("a Python program", || {
            time(
                &mut self.script(&self.python, "pbkdf2_provider.py"),
                &pythons,
            )
        });
        comparison.run(rounds)
    }

    fn keyhost(&self, name: &str, cache: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyhost"));
        command
            .arg("--config")
            .arg(self.directory.path().join("keyhost.hcl"))
            .arg("--cache-dir")
            .arg(self.directory.path().join(cache))
            .args(["external", &format!("key_provider.{name}.main")]);
        command
    }

    fn script(&self, interpreter: &str, name: &str) -> Command {
        let mut command = Command::new(interpreter);
        command.arg(self.peers.join(name));
        command
    }

    /// What a provider wants to have stored, as OpenTofu gives it back.
    fn stored(&self, command: &mut Command) -> anyhow::Result<String> {
        let output = run(command, "null")?;
        let body = output.lines().nth(1).context("no answer")?;
        let answer: Value = serde_json::from_str(body)?;
        Ok(answer["meta"].to_string())
    }
}

fn time(command: &mut Command, input: &str) -> anyhow::Result<Duration> {
    timed(|| run(command, input))
}

fn run(command: &mut Command, input: &str) -> anyhow::Result<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?} does not start"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read has closed its end.
        let _ = writeln!(stdin, "{input}");
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?)
}
