//! The recipes of docs/state-files.md, run as they stand there.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::reader::Read;
use super::{Scene, done};
use crate::support::{self, data, guest};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/state-files.md");

/// Begins each command's output in the script's; no output has it.
const MARK: char = '\u{1e}';

const PASSPHRASE: &str = "correct horse battery staple";
const NEW_PASSPHRASE: &str = "a passphrase from 2031";
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A hundred would take a hundred times what one takes.
const STATES: usize = 15;

/// A command and what the document says that it prints.
struct Step {
    command: String,
    output: Vec<String>,
}

/// A section of the document.
struct Recipe {
    config: String,
    steps: Vec<Step>,
}

impl Recipe {
    fn of(title: &str) -> Self {
        let document = fs::read_to_string(DOCUMENT).expect(DOCUMENT);
        let heading = format!("\n### {title}\n");
        let start = document.find(&heading).expect(title) + heading.len();
        let section = &document[start..];
        let section = &section[..section.find("\n##").unwrap_or(section.len())];
        let console = blocks(section, "console").join("\n");
        let mut steps: Vec<Step> = Vec::new();
        for line in console.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                (None, Some(step)) => step.output.push(line.to_owned()),
                (None, None) => panic!("{title} begins with an output"),
            }
        }
        let config = blocks(section, "hcl");
        assert_eq!(config.len(), 1, "{title} has one configuration");
        Self {
            config: config.concat(),
            steps,
        }
    }

    /// The same with another number in the place of one.
    fn with_number(mut self, told: usize, number: usize) -> Self {
        for line in self.steps.iter_mut().flat_map(|step| &mut step.output) {
            *line = line.replace(&told.to_string(), &number.to_string());
        }
        self
    }

    /// Runs the commands in one shell, which reads secrets from `input`.
    fn run(&self, scene: &Scene, input: &str) {
        scene.write("keyhost.hcl", &self.config);
        for name in ["pbkdf2", "static"] {
            fs::copy(guest(name), scene.path(&format!("{name}.wasm"))).expect("copy");
        }
        let commands = self.steps.iter();
        let script: String = commands
            .map(|step| format!("printf '{MARK}'\n{}\n", step.command))
            .collect();
        scene.write("recipe.sh", format!("exec 2>&1\n{script}"));
        let program = Path::new(env!("CARGO_BIN_EXE_keyhost"));
        let path = format!(
            "{}:/usr/bin:/bin",
            program.parent().expect("directory").display()
        );
        let run = support::run(
            Command::new("bash")
                .arg("recipe.sh")
                .current_dir(scene.directory.path())
                .env_clear()
                .env("PATH", path)
                .env(
                    "KEYHOST_CACHE_DIR",
                    concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
                ),
            input.as_bytes(),
        );
        let outputs: Vec<_> = run.stdout.split(MARK).skip(1).collect();
        assert_eq!(outputs.len(), self.steps.len(), "{}", run.stdout);
        for (step, came) in self.steps.iter().zip(outputs) {
            let came: Vec<_> = came.lines().collect();
            let alike = came.len() == step.output.len()
                && came
                    .iter()
                    .zip(&step.output)
                    .all(|(came, told)| matches(told, came));
            assert!(
                alike,
                "{}\ntold {:#?}\ncame {came:#?}",
                step.command, step.output
            );
        }
    }
}

/// The content of fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = text.split(fence.as_str()).skip(1);
    parts
        .map(|part| {
            part[..part.find("```").expect("the end of the block")]
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// `…` stands for anything.
fn matches(told: &str, came: &str) -> bool {
    match told.split_once('…') {
        None => told == came,
        Some((before, after)) => {
            came.len() >= before.len() + after.len()
                && came.starts_with(before)
                && came.ends_with(after)
        }
    }
}

/// A state that real OpenTofu encrypted with `key_provider.pbkdf2.p`.
fn opentofu_state() -> (String, String) {
    vector("pbkdf2-default")
}

fn vector(name: &str) -> (String, String) {
    let vectors = data("vectors/envelopes.json");
    let vector = vectors
        .iter()
        .find(|vector| vector["name"] == name)
        .expect("vector");
    let text = |field: &str| vector[field].as_str().expect(field).to_owned();
    (text("envelope"), text("plaintext"))
}

/// A directory with that state.
fn scene() -> (Scene, String) {
    let scene = Scene::new("");
    let (envelope, plaintext) = opentofu_state();
    scene.write("terraform.tfstate", envelope);
    (scene, plaintext)
}

#[test]
fn read_a_state_in_an_emergency() {
    let (scene, plaintext) = scene();
    Recipe::of("Read a state in an emergency").run(&scene, &format!("{PASSPHRASE}\n"));
    assert_eq!(scene.text("readable.json"), plaintext);
    assert_eq!(scene.text("terraform.tfstate"), opentofu_state().0);
}

#[test]
fn rotate_a_passphrase_over_a_hundred_states() {
    let (scene, plaintext) = scene();
    fs::create_dir(scene.path("states")).expect("directory");
    let names: Vec<_> = (1..=STATES)
        .map(|number| format!("states/{number}.tfstate"))
        .collect();
    let (envelope, _) = vector("pbkdf2-sha256-16");
    for name in &names {
        scene.write(name, &envelope);
    }
    let input = format!("{PASSPHRASE}\n{NEW_PASSPHRASE}\n");
    Recipe::of("Rotate a passphrase over a hundred states")
        .with_number(100, STATES)
        .run(&scene, &input);
    for name in &names {
        let read = Read::of(&scene.read(name));
        assert_eq!(read.metadata_keys(), ["key_provider.pbkdf2.p2"]);
        let key = read.derive("key_provider.pbkdf2.p2", NEW_PASSPHRASE.as_bytes());
        assert_eq!(read.open(&key, b""), Some(plaintext.clone().into_bytes()));
    }
}

#[test]
fn migrate_from_pbkdf2_to_another_provider() {
    let (scene, plaintext) = scene();
    let input = format!("{PASSPHRASE}\n{KEY}\n");
    Recipe::of("Migrate from `pbkdf2` to another provider").run(&scene, &input);
    let read = Read::of(&scene.read("terraform.tfstate"));
    assert_eq!(read.metadata_keys(), ["key_provider.static.store"]);
    let key: Vec<u8> = (0..32).collect();
    assert_eq!(read.open(&key, b""), Some(plaintext.into_bytes()));
}

#[test]
fn go_back_to_plain() {
    let (scene, plaintext) = scene();
    Recipe::of("Go back to plain").run(&scene, &format!("{PASSPHRASE}\n"));
    assert_eq!(scene.text("terraform.tfstate"), plaintext);
    done(scene.run(&["inspect", "terraform.tfstate"]));
}
