//! Credentials helpers, driven as people and Terraform drive them: by the built
//! program.

mod choice;
mod drain;
mod env;
mod helper_name;
mod install;
mod kill;
mod limit;
mod log;
mod objects;
mod protocol;
mod records;
mod redis;
mod rotation;
mod vault;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use keyhost::storage::EmbeddedStorage;
use tempfile::TempDir;

use crate::support::{Run, component, guest, program, run};

/// A token that shows nowhere by chance.
const TOKEN: &str = "hvs.Qm7-tR4y_unlikely.9ZkPw2";

/// Where the `vault` component keeps its records.
const RECORDS: &str = "components/vault";

/// Where the host keeps the metadata of its keys.
const KEYS: &str = "keys/vault";

/// Of a chunk of this length of a secret is said that it shows.
const SHOWN: usize = 8;

/// An operator's directory, with a configuration and a home.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new(config: &str) -> Self {
        let scene = Self {
            directory: tempfile::tempdir().expect("directory"),
        };
        fs::create_dir(scene.path("home")).expect("home");
        scene.configure(config);
        scene
    }

    /// With the fastest key there is.
    fn vault() -> Self {
        Self::new(&vault("static.s"))
    }

    fn configure(&self, config: &str) {
        fs::write(self.config(), config).expect("configuration");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn config(&self) -> PathBuf {
        self.path("keyhost.hcl")
    }

    fn database(&self) -> PathBuf {
        self.path("tokens.redb")
    }

    /// The same storage, past the program.
    fn storage(&self) -> EmbeddedStorage {
        EmbeddedStorage::new(self.database())
    }

    /// The program, in the directory.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command
            .current_dir(self.directory.path())
            .env("HOME", self.path("home"))
            .arg("credentials")
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments), b"")
    }

    fn get(&self, host: &str) -> Run {
        self.run(&["get", host])
    }

    fn store(&self, host: &str, object: &str) -> Run {
        run(&mut self.command(&["store", host]), object.as_bytes())
    }

    fn forget(&self, host: &str) -> Run {
        self.run(&["forget", host])
    }

    /// Keeps [`TOKEN`] for a host.
    fn keep(&self, host: &str) {
        done(&self.store(host, &object(TOKEN)), "");
    }
}

/// The object that clients store.
fn object(token: &str) -> String {
    format!("{{\"token\":\"{token}\"}}")
}

/// The answer to `get` of [`Scene::keep`].
fn kept() -> String {
    object(TOKEN) + "\n"
}

/// Components, a storage, and providers of three keys: everything but helpers.
fn base() -> String {
    let blocks = [
        component("static", &guest("static"), ""),
        component("pbkdf2", &guest("pbkdf2"), ""),
        component("vault", &guest("vault"), "  grants { storage = true }"),
        component("env", &guest("env"), ""),
        "storage \"file\" {\n  path = \"tokens.redb\"\n}\n".to_owned(),
        encryption("correct-horse-battery-staple"),
    ];
    blocks.concat()
}

/// The providers; `main` has this passphrase.
fn encryption(passphrase: &str) -> String {
    let pbkdf2 = |name: &str, passphrase: &str| {
        format!(
            "  key_provider \"pbkdf2\" \"{name}\" {{\n    passphrase = \"{passphrase}\"\n    iterations = 200000\n    hash_function = \"sha256\"\n  }}\n"
        )
    };
    let fixed = |name: &str, key: String| {
        format!("  key_provider \"static\" \"{name}\" {{\n    key = \"{key}\"\n  }}\n")
    };
    let providers = [
        pbkdf2("main", passphrase),
        pbkdf2("new", "tr0ub4dor-and-three-more"),
        fixed("s", "0123456789abcdef".repeat(4)),
        fixed("other", "fedcba9876543210".repeat(4)),
        fixed("short", "0123456789abcdef".repeat(2)),
    ];
    format!("encryption {{\n{}}}\n", providers.concat())
}

/// A configuration with one vault that has this key.
fn vault(key: &str) -> String {
    format!("{}{}", base(), helper(key, None))
}

/// A vault's block.
fn helper(key: &str, previous: Option<&str>) -> String {
    let previous = previous.map_or_else(String::new, |key| {
        format!("  previous_key = key_provider.{key}\n")
    });
    format!("credentials_helper \"vault\" {{\n  key = key_provider.{key}\n{previous}}}\n")
}

/// Asserts success, this output, and that nothing was said.
#[track_caller]
fn done(run: &Run, stdout: &str) {
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), stdout, "")
    );
}

/// Asserts a failure that is told, in these words among others, and no output.
#[track_caller]
fn refused(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(code), ""),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.trim().is_empty());
    for word in words {
        assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
    }
}

/// Whether bytes hold a part of a secret, or all of it in base64 or hexadecimal.
fn shows(bytes: &[u8], secret: &str) -> bool {
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    secret.as_bytes().windows(SHOWN).any(holds)
        || holds(hex::encode(secret).as_bytes())
        || holds(hex::encode_upper(secret).as_bytes())
        || (0..3).any(|offset| holds(in_base64(secret, offset).as_bytes()))
}

/// What of a secret's base64 is the same whatever stands around it, where it
/// begins at such a byte of three.
fn in_base64(secret: &str, offset: usize) -> String {
    let encoded = STANDARD_NO_PAD.encode("-".repeat(offset) + secret);
    let end = if (offset + secret.len()).is_multiple_of(3) {
        encoded.len()
    } else {
        encoded.len() - 1
    };
    encoded[(offset * 8).div_ceil(6)..end].to_owned()
}

/// Runs the program with an input that it is to read to the end, whatever
/// becomes of it.
#[track_caller]
fn drained(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let (output, written) = thread::scope(|scope| {
        let writer = scope.spawn(move || stdin.write_all(input));
        let output = child.wait_with_output().expect("the program ends");
        (output, writer.join().expect("writer"))
    });
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let run = Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    if let Err(error) = written {
        panic!("the input was not read to its end: {error}; {}", run.stderr);
    }
    run
}

#[test]
fn the_search_for_secrets_finds_them() {
    let halves = TOKEN.split_at(SHOWN);
    for text in [
        TOKEN.to_owned(),
        format!("the token {}…", halves.0),
        hex::encode(format!("{{{TOKEN}}}")),
        STANDARD_NO_PAD.encode(format!("{TOKEN}}}")),
        STANDARD_NO_PAD.encode(format!("{{{TOKEN}}}")),
        STANDARD_NO_PAD.encode(format!("{{\"{TOKEN}\"}}")),
    ] {
        assert!(shows(text.as_bytes(), TOKEN), "{text}");
    }
    assert!(!shows(b"the token is empty", TOKEN));
}
