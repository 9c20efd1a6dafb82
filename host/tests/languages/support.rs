//! What the tests share: the guests of the languages, and configurations.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use keyhost::component::cache::Cache;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::source::Source;
use keyhost::config::syntax::Syntax;
use keyhost::key_provider::KeyProviders;
use keyhost::key_provider::metadata::Purpose;
use keyhost::key_provider::output::Output as Keys;
use keyhost::log::NoLog;

use crate::guests::{component, guest};

/// The pbkdf2 provider's components in other languages than Rust.
const COMPONENTS: [(&str, &str); 3] = [
    ("C", "pbkdf2-c"),
    ("Python", "pbkdf2-python"),
    ("JavaScript", "pbkdf2-javascript"),
];

/// The pbkdf2 provider's components, by the language of each. In CI all of them
/// must be built; elsewhere a toolchain can be missing, which is said aloud.
pub(crate) fn built() -> Vec<(&'static str, PathBuf)> {
    let mut built = vec![("Rust", guest("pbkdf2"))];
    for (language, name) in COMPONENTS {
        let path = built[0].1.with_file_name(format!("{name}.wasm"));
        if path.exists() {
            built.push((language, path));
        } else {
            assert!(std::env::var_os("CI").is_none(), "{name} was not built");
            skipped(&format!("{name}.wasm was not built: see `make guests`"));
        }
    }
    built
}

/// Says that a test did not run, past the capture of tests' output.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "\nSKIPPED: {what}");
}

/// Asks a component for the keys of `key_provider.it.a`; `more` goes into its
/// component block, `attributes` into the provider's.
pub(crate) fn provide(
    path: &Path,
    more: &str,
    attributes: &str,
    purpose: &Purpose,
) -> anyhow::Result<Keys> {
    let text = component("it", path, more)
        + &format!("encryption {{\n key_provider \"it\" \"a\" {{\n{attributes}\n}}\n}}\n");
    let source = Source::new("keyhost.test".to_owned(), text);
    let config = Config::parse(source, Syntax::Hcl, Path::new("."), &Inputs::default());
    let config = config.expect("configuration");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Cache::new(directory, Box::new(|warning| panic!("{warning}")));
    let providers = KeyProviders::new(&config, cache, Arc::new(NoLog));
    Ok(providers.provide(&"key_provider.it.a".parse()?, purpose)?)
}

/// Runs a command; its whole output if it fails.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().expect("command");
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
