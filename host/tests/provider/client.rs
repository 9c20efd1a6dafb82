//! A user of terraform, with a home and a module of its own.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use keyhost::storage::{EmbeddedStorage, Storage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::guests::{component, guest};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// For what has to happen soon.
const PATIENCE: Duration = Duration::from_secs(30);

/// Components are compiled once for all tests.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/provider-cache");

const HEAD: &str = r#"
terraform {
  required_providers {
    keyhost = {
      source = "local/keyhost"
    }
  }
}
"#;

/// What a run of terraform said.
pub(crate) struct Run {
    pub(crate) success: bool,
    pub(crate) output: String,
}

pub(crate) struct Client {
    terraform: PathBuf,
    home: tempfile::TempDir,
}

fn pinned(name: &str, grants: &str) -> String {
    component(name, &guest(name), grants)
}

pub(crate) fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("pid");
    kill_process(Pid::from_raw(pid).expect("pid"), signal).expect("signal");
}

impl Client {
    /// `None` where there is no terraform.
    pub(crate) fn new(configuration: &str) -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path)
            .map(|directory| directory.join("terraform"))
            .find(|program| program.is_file());
        let Some(terraform) = found else {
            let _ = writeln!(io::stderr(), "\nSKIPPED: terraform is not installed");
            return None;
        };
        let home = tempfile::tempdir().expect("home");
        let client = Self { terraform, home };
        for directory in ["work", "bin"] {
            fs::create_dir(client.home.path().join(directory)).expect("directory");
        }
        // The two programs lie beside each other, as they are installed.
        for (name, program) in [
            ("keyhost", env!("CARGO_BIN_EXE_keyhost")),
            (
                "terraform-provider-keyhost",
                env!("CARGO_BIN_EXE_terraform-provider-keyhost"),
            ),
        ] {
            fs::copy(program, client.home.path().join("bin").join(name)).expect("program");
        }
        let text = format!(
            "{}{}{}storage \"file\" {{\n  path = \"leases.redb\"\n}}\nencryption {{\n  key_provider \"static\" \"main\" {{\n    key = \"{KEY}\"\n  }}\n}}\n",
            pinned("static", ""),
            pinned("session", "grants {\n storage = true\n}"),
            pinned("derived-key", ""),
        );
        fs::write(client.work().join("keyhost.hcl"), text).expect("configuration");
        client.write(configuration);
        let printed = client.keyhost(&["terraform", "dev-overrides"]);
        let (settings, module) = printed.split_once("# Into the module:").expect("two parts");
        assert_eq!(module.trim(), HEAD.trim());
        fs::write(client.home.path().join("terraform.rc"), settings).expect("settings");
        Some(client)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn write(&self, configuration: &str) {
        let text = format!("{HEAD}{configuration}");
        fs::write(self.work().join("main.tf"), text).expect("module");
    }

    /// Writes a child module.
    pub(crate) fn write_module(&self, name: &str, configuration: &str) {
        let directory = self.work().join(name);
        fs::create_dir(&directory).expect("directory");
        let text = format!("{HEAD}{configuration}");
        fs::write(directory.join("main.tf"), text).expect("module");
    }

    pub(crate) fn storage(&self) -> EmbeddedStorage {
        EmbeddedStorage::new(self.work().join("leases.redb"))
    }

    pub(crate) fn keyhost(&self, arguments: &[&str]) -> String {
        let mut command = self.command(&self.home.path().join("bin/keyhost"));
        let output = command.args(arguments).output().expect("keyhost");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(&self.terraform);
        let output = command.args(arguments).arg("-no-color").output();
        let output = output.expect("terraform");
        let text = [output.stdout, output.stderr].concat();
        Run {
            success: output.status.success(),
            output: String::from_utf8_lossy(&text).into_owned(),
        }
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(&self.terraform);
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.process_group(0).spawn().expect("terraform")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home.path())
            .env("TF_CLI_CONFIG_FILE", self.home.path().join("terraform.rc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("XDG_CACHE_HOME", CACHE)
            .stdin(Stdio::null())
            .current_dir(self.work());
        command
    }

    fn leases(&self) -> Vec<String> {
        self.storage().keys("components/session").expect("leases")
    }

    /// When a lease ends unless it is renewed.
    pub(crate) fn end_of(&self, lease: &str) -> Option<u64> {
        let record = self
            .storage()
            .get("components/session", lease)
            .expect("it reads")?;
        let record: Value = serde_json::from_slice(&record).expect("JSON");
        record["expires_at"].as_u64()
    }

    /// The lease that the apply opened: the one of the plan is closed before
    /// the command runs.
    pub(crate) fn wait_for_lease(&self) -> String {
        self.wait_for_token();
        let leases = self.leases();
        assert_eq!(leases.len(), 1, "{leases:?}");
        leases[0].clone()
    }

    pub(crate) fn wait_for_token(&self) {
        let end = Instant::now() + PATIENCE;
        while !self.work().join("token").exists() {
            assert!(Instant::now() < end, "the command did not run");
            thread::sleep(SECOND / 50);
        }
    }

    pub(crate) fn assert_nothing_open(&self) {
        let end = Instant::now() + PATIENCE;
        loop {
            let leases = self.leases();
            if leases.is_empty() {
                return;
            }
            assert!(Instant::now() < end, "open: {leases:?}");
            thread::sleep(SECOND / 20);
        }
    }

    pub(crate) fn assert_not_in_state(&self, secret: &str) {
        for entry in fs::read_dir(self.work()).expect("files").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.contains("tfstate") {
                let text = fs::read_to_string(entry.path()).expect("state");
                assert!(!text.contains(secret), "{name}");
            }
        }
    }
}
