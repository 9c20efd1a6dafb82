//! What the tests share: built guests, configurations, the program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use keyhost::component::cache::Cache;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::{ConfigError, Source};
use keyhost::config::syntax::Syntax;
use keyhost::digest::Digest;
use keyhost::key_provider::KeyProviders;
use keyhost::log::{Level, LogSink};
use keyhost::secret::Secret;

pub(crate) use crate::guests::{component, guest};

/// The three guests, as components.
pub(crate) fn components() -> String {
    ["static", "pbkdf2", "xor"]
        .map(|name| component(name, &guest(name), ""))
        .concat()
}

/// A configuration with the three guests and an encryption block's content, in
/// either syntax.
pub(crate) fn config(encryption: &str) -> Result<Config, ConfigError> {
    let (text, syntax) = if encryption.trim_start().starts_with(['{', '[']) {
        let entries = ["static", "pbkdf2", "xor"].map(|name| {
            let digest = Digest::of(&std::fs::read(guest(name)).expect("guest"));
            format!(
                "\"{name}\": {{\"path\": \"{}\", \"sha256\": \"{digest}\"}}",
                guest(name).display()
            )
        });
        let components = entries.join(", ");
        let text = format!("{{\"component\": {{{components}}}, \"encryption\": {encryption}}}");
        (text, Syntax::Json)
    } else {
        let text = format!("{}encryption {{\n{encryption}\n}}\n", components());
        (text, Syntax::Hcl)
    };
    parse(&text, syntax)
}

/// A configuration with the three guests, and an encryption block's content in
/// `TF_ENCRYPTION`.
pub(crate) fn config_in_environment(encryption: &str) -> Result<Config, ConfigError> {
    let source = Source::new("keyhost.test".to_owned(), components());
    let inputs = Inputs {
        encryption: Some(Secret::from(encryption.to_owned())),
        ..Inputs::default()
    };
    Config::parse(source, Syntax::Hcl, Path::new("."), &inputs)
}

pub(crate) fn parse(text: &str, syntax: Syntax) -> Result<Config, ConfigError> {
    let source = Source::new("keyhost.test".to_owned(), text.to_owned());
    Config::parse(source, syntax, Path::new("."), &Inputs::default())
}

/// A compile cache that all tests share.
pub(crate) fn cache() -> Cache {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    Cache::new(directory, Box::new(|warning| panic!("{warning}")))
}

pub(crate) fn key_providers(config: &Config) -> KeyProviders<'_> {
    KeyProviders::new(config, cache(), Arc::new(keyhost::log::NoLog))
}

/// Keeps what guests log.
#[derive(Default)]
pub(crate) struct Recorded(pub(crate) Mutex<Vec<String>>);

impl LogSink for Recorded {
    fn record(&self, _: &str, _: Level, message: &str) {
        self.0.lock().expect("log").push(message.to_owned());
    }
}

/// Says that a test did not run, past the capture of tests' output.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "\nSKIPPED: {what}");
}

/// A test vector's file.
pub(crate) fn data(name: &str) -> Vec<serde_json::Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect(name)
}

/// What a run of the program did.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The built program, without the environment's own settings.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyhost"));
    command.env_clear().env(
        "KEYHOST_CACHE_DIR",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
    );
    command
}

/// Runs the program with some input.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let input = input.to_vec();
    // A program that does not read all of it closes the pipe: that is its right.
    let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("writer");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
