//! Encrypted states and plans, worked on as operators do: by the built program.

mod access;
mod check;
mod external;
mod fallbacks;
mod fuzz;
mod inspect;
mod kill;
mod memory;
mod plans;
mod reader;
mod recipes;
mod rotate;
mod targets;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Run, components, data, program, run};

/// A passphrase of the vectors, and another one.
const OLD: &str = "first passphrase 0001";
const NEW: &str = "second passphrase 0002";

/// Two passphrases; the second one encrypts, the first still decrypts.
const ROTATION: &str = r#"
  key_provider "pbkdf2" "old" {
    passphrase = "first passphrase 0001"
    iterations = 200000
  }
  key_provider "pbkdf2" "new" {
    passphrase = "second passphrase 0002"
    iterations = 200000
  }
  method "aes_gcm" "old" {
    keys = key_provider.pbkdf2.old
  }
  method "aes_gcm" "new" {
    keys = key_provider.pbkdf2.new
  }
  state {
    method = method.aes_gcm.new
    fallback {
      method = method.aes_gcm.old
    }
  }
"#;

/// The fastest key there is, for states and plans.
const STATIC: &str = r#"
  key_provider "static" "s" {
    key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
  }
  method "aes_gcm" "s" {
    keys = key_provider.static.s
  }
  state {
    method = method.aes_gcm.s
  }
  plan {
    method = method.aes_gcm.s
  }
"#;

/// What stands in the vectors' states and must show nowhere.
const SECRET: &str = "s3cr3t";

/// An operator's directory.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new(encryption: &str) -> Self {
        let scene = Self {
            directory: tempfile::tempdir().expect("directory"),
        };
        scene.configure(encryption);
        scene
    }

    fn configure(&self, encryption: &str) {
        let text = format!("{}encryption {{\n{encryption}\n}}\n", components());
        self.write("keyhost.hcl", text);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("write");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("read")
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    /// `keyhost state …` in the directory.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command
            .current_dir(self.directory.path())
            .arg("state")
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, b"")
    }

    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        let run = run(&mut self.command(arguments), input);
        for secret in [OLD, NEW, "00112233445566778899"] {
            assert!(!run.stderr.contains(secret), "{}", run.stderr);
            assert!(!run.stdout.contains(secret), "{}", run.stdout);
        }
        assert!(!run.stderr.contains(SECRET), "{}", run.stderr);
        run
    }

    /// What is in the directory, besides the configuration.
    fn listing(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).expect("listing");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .expect("name")
            })
            .filter(|name| name != "keyhost.hcl")
            .collect();
        names.sort();
        names
    }
}

/// What ended well, and what it printed.
fn done(run: Run) -> String {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stdout
}

/// What ended with a code, and what it said.
fn failed(run: Run, code: i32) -> String {
    assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
    run.stderr
}

/// A state that real OpenTofu encrypted under [`OLD`], and its plaintext.
fn opentofu_state() -> (String, String) {
    let vectors = data("vectors/rotation_and_envelope_errors.json");
    let vector = vectors
        .iter()
        .find(|vector| vector["name"] == "rotation-decrypts-old")
        .expect("vector");
    let text = |field: &str| vector[field].as_str().expect(field).to_owned();
    (text("envelope"), text("decrypted"))
}
