//! The real `terraform`, with a home of its own and the fake provider in it.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::calls::Calls;
use crate::run::{Run, Running};

const PROVIDER: &str = "terraform-provider-fake";

/// For something that has to happen soon.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often to look.
const GLANCE: Duration = Duration::from_millis(20);

const HEAD: &str = r#"
terraform {
  required_providers {
    fake = { source = "example.test/keyhost/fake" }
  }
}
"#;

/// The program to test against. Says so where there is none, past the capture of
/// the test runner: a skipped test must not look like one that passed.
fn terraform() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .map(|directory| directory.join("terraform"))
        .find(|program| program.is_file());
    if found.is_none() {
        writeln!(io::stderr(), "SKIPPED: terraform is not installed").ok();
    }
    found
}

/// The fake provider: cargo builds it with the tests.
fn provider() -> PathBuf {
    let test = env::current_exe().expect("this program");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("target directory");
    let provider = profile.join("examples").join(PROVIDER);
    assert!(provider.is_file(), "build {} first", provider.display());
    provider
}

/// A user of terraform with one configuration.
pub(crate) struct Client {
    terraform: PathBuf,
    home: TempDir,
}

impl Client {
    /// `None` where there is no terraform.
    pub(crate) fn new(configuration: &str) -> Option<Self> {
        let terraform = terraform()?;
        let home = tempfile::tempdir().expect("home");
        for directory in ["providers", "tmp", "work"] {
            fs::create_dir(home.path().join(directory)).expect(directory);
        }
        let providers = home.path().join("providers");
        symlink(provider(), providers.join(PROVIDER)).expect("link");
        let settings = format!(
            "provider_installation {{\n  dev_overrides {{\n    \
             \"example.test/keyhost/fake\" = \"{}\"\n  }}\n  direct {{}}\n}}\n",
            providers.display(),
        );
        fs::write(home.path().join("terraform.rc"), settings).expect("CLI configuration");
        let client = Self { terraform, home };
        let main = client.work().join("main.tf");
        fs::write(main, format!("{HEAD}{configuration}")).expect("configuration");
        Some(client)
    }

    /// The working directory.
    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.work().join(file)).expect(file)
    }

    pub(crate) fn calls(&self) -> Calls {
        Calls::read(&self.home.path().join("calls"))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.start(arguments).finish()
    }

    pub(crate) fn apply(&self) -> Run {
        self.run(&["apply", "-auto-approve"])
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let home = self.home.path();
        let mut command = Command::new(&self.terraform);
        command
            .args(arguments)
            .arg("-no-color")
            .current_dir(self.work())
            .env_clear()
            .env("CHECKPOINT_DISABLE", "1")
            .env("FAKE_CALLS", home.join("calls"))
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .env("TF_CLI_CONFIG_FILE", home.join("terraform.rc"))
            .env("TMPDIR", home.join("tmp"));
        Running::start(&mut command)
    }

    /// Waits until the provider was called like this.
    #[track_caller]
    pub(crate) fn wait_for_call(&self, verb: &str, count: usize) {
        let called = || self.calls().count(verb) >= count;
        assert!(eventually(called), "no {verb}: {:#?}", self.calls());
    }

    /// Waits until the consumer has written its file.
    #[track_caller]
    pub(crate) fn wait_for_file(&self, file: &str) {
        let path = self.work().join(file);
        assert!(eventually(|| path.is_file()), "no {file}");
    }

    /// Each lease was closed once, no process is left, no socket.
    #[track_caller]
    pub(crate) fn assert_nothing_left(&self) {
        let processes = self.calls().processes();
        let ended = || !processes.iter().any(|process| lives(*process));
        assert!(
            eventually(ended),
            "the provider lives on: {:#?}",
            self.calls()
        );
        self.calls().assert_closed_once();
        let left = fs::read_dir(self.home.path().join("tmp")).expect("tmp");
        let left: Vec<_> = left.map(|entry| entry.expect("entry").path()).collect();
        let socket = |path: &PathBuf| path.to_string_lossy().contains("tf-plugin-");
        assert!(!left.iter().any(socket), "{left:?}");
    }
}

/// Looks again and again.
fn eventually(happened: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if happened() {
            return true;
        }
        sleep(GLANCE);
    }
    false
}

/// A process that has ended may wait for its parent to notice.
fn lives(process: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else {
        return false;
    };
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    !state.is_some_and(|state| state.starts_with('Z'))
}
