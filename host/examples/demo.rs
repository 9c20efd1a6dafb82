//! Decrypts states that real OpenTofu encrypted, with keys from sandboxed
//! components, and shows what the sandbox refuses. Run it with `make demo`.

#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let demo = Demo {
        keyhost: root.join("target/release/keyhost"),
        guests: root.join("target/guests"),
        directory: tempfile::tempdir()?,
    };
    let vectors = root.join("host/tests/data/vectors/envelopes.json");
    let vectors: Vec<Value> = serde_json::from_slice(&fs::read(&vectors)?)?;
    demo.decrypt_states(&vectors)?;
    demo.refuse_hostile_metadata()?;
    demo.speak_to_opentofu()
}

struct Demo {
    keyhost: PathBuf,
    guests: PathBuf,
    directory: tempfile::TempDir,
}

impl Demo {
    fn decrypt_states(&self, vectors: &[Value]) -> anyhow::Result<()> {
        println!(
            "States that OpenTofu encrypted, decrypted with keys from sandboxed components:\n"
        );
        let mut decrypted = 0;
        for vector in vectors {
            let name = vector["name"].as_str().context("name")?;
            // One vector is of a spelling that OpenTofu refuses: no state.
            let Some(envelope) = vector["envelope"].as_str() else {
                continue;
            };
            let encryption = encryption(vector)?;
            let config = self.configure(&encryption)?;
            let state = self.write("encrypted.tfstate", envelope)?;
            let started = Instant::now();
            let output = self.keyhost(&config, &["state", "decrypt", &state])?;
            let time = started.elapsed().as_millis();
            ensure!(
                output.status.success(),
                "{name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let plaintext = vector["plaintext"].as_str().context("plaintext")?;
            ensure!(
                output.stdout == plaintext.as_bytes(),
                "{name}: another plaintext"
            );
            decrypted += 1;
            let size = plaintext.len();
            println!(
                "  {name:<32} {:<32} {size:>4} bytes, {time:>4} ms",
                providers(vector)
            );
        }
        println!("\n{decrypted} states decrypted, each to its very bytes.\n");
        Ok(())
    }

    fn refuse_hostile_metadata(&self) -> anyhow::Result<()> {
        println!("Metadata that asks for 4,000,000,000 iterations:\n");
        let config = self.configure(PBKDF2)?;
        let metadata = json!({ "key_provider.pbkdf2.main": {
            "salt": "AAECAwQFBgcICQoLDA0ODw==", "iterations": 4_000_000_000_u32,
            "hash_function": "sha512", "key_length": 32,
        }});
        let metadata = self.write("metadata.json", &metadata.to_string())?;
        let arguments = [
            "provide",
            "key_provider.pbkdf2.main",
            "--metadata",
            &metadata,
        ];
        let output = self.keyhost(&config, &arguments)?;
        ensure!(output.status.code() == Some(1), "not refused");
        println!("  {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    fn speak_to_opentofu(&self) -> anyhow::Result<()> {
        println!("What `tofu` reads from its external key provider, keyhost:\n");
        let config = self.configure(PBKDF2)?;
        let output = self.keyhost(&config, &["external", "key_provider.pbkdf2.main"])?;
        ensure!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line = match line.split_once("\"encryption_key\":\"") {
                Some((before, after)) => {
                    let after = after.split_once('"').map_or("", |(_, after)| after);
                    format!("{before}\"encryption_key\":\"…\"{after}")
                }
                None => line.to_owned(),
            };
            println!("  {line}");
        }
        Ok(())
    }

    /// Writes and pins a configuration with the three guests.
    fn configure(&self, encryption: &str) -> anyhow::Result<String> {
        let guests = ["static", "pbkdf2", "xor"];
        let path = |guest: &str| self.guests.join(format!("{guest}.wasm"));
        let config = if encryption.starts_with('{') {
            let components =
                guests.map(|guest| format!("\"{guest}\": {}", json!({ "path": path(guest) })));
            let text = format!(
                "{{\"component\": {{{}}}, \"encryption\": {encryption}}}",
                components.join(", ")
            );
            self.write("keyhost.json", &text)?
        } else {
            let component =
                |guest| format!("component \"{guest}\" {{\n  path = {:?}\n}}\n", path(guest));
            let text = format!(
                "{}encryption {{\n{encryption}\n}}\n",
                guests.map(component).concat()
            );
            self.write("keyhost.hcl", &text)?
        };
        let pinned = self.keyhost(&config, &["pin"])?;
        ensure!(
            pinned.status.success(),
            "pin: {}",
            String::from_utf8_lossy(&pinned.stderr)
        );
        Ok(config)
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<String> {
        let path = self.directory.path().join(name);
        fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn keyhost(&self, config: &str, arguments: &[&str]) -> anyhow::Result<Output> {
        use std::io::Write;
        use std::process::Stdio;
        let mut child = Command::new(&self.keyhost)
            .args(["--config", config])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} does not start", self.keyhost.display()))?;
        // Commands that read no input may be gone already.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(b"null"));
        Ok(child.wait_with_output()?)
    }
}

const PBKDF2: &str =
    "key_provider \"pbkdf2\" \"main\" {\n  passphrase = \"correct horse battery staple\"\n}";

/// The vector's encryption block. One was made with an external program: the
/// key that it gave is written out in its place.
fn encryption(vector: &Value) -> anyhow::Result<String> {
    let config = vector["config"].as_str().context("config")?;
    if vector["name"] != "external" {
        return Ok(config.to_owned());
    }
    let (Some(start), Some(end)) = (config.find("key_provider"), config.find("method \"")) else {
        bail!("another external vector");
    };
    let key: Vec<u8> = (1..=16).collect();
    let keys = format!("{{ encryption_key = {key:?}, decryption_key = {key:?} }}");
    Ok(format!("{}{}", &config[..start], &config[end..]).replace("key_provider.external.e", &keys))
}

fn providers(vector: &Value) -> String {
    match vector["meta_decoded"].as_object() {
        Some(metadata) if vector["name"] != "external" && !metadata.is_empty() => {
            let keys: Vec<_> = metadata
                .keys()
                .map(|key| key.trim_start_matches("key_provider."))
                .collect();
            keys.join(" + ")
        }
        _ => "keys written out".to_owned(),
    }
}
