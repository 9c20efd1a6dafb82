//! The real `terraform`, with a home of its own.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::helper::Helper;
use crate::proxy::Proxy;
use crate::registry::Registry;
use crate::run::{Run, converse, run};

/// The program to test against. Says so where there is none, past the capture of
/// the test runner: a skipped test must not look like one that passed.
pub(crate) fn terraform() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .map(|directory| directory.join("terraform"))
        .find(|program| program.is_file());
    if found.is_none() {
        writeln!(io::stderr(), "SKIPPED: terraform is not installed").ok();
    }
    found
}

/// A user of terraform: a home, an environment, perhaps a credentials helper.
pub(crate) struct Client {
    terraform: PathBuf,
    home: TempDir,
    env: Vec<(String, String)>,
    helper: Option<(PathBuf, Vec<String>)>,
}

impl Client {
    pub(crate) fn new(terraform: PathBuf, registry: &Registry, proxy: &Proxy) -> Self {
        let home = tempfile::tempdir().expect("home");
        for directory in ["bin", "tmp"] {
            fs::create_dir(home.path().join(directory)).expect(directory);
        }
        fs::write(home.path().join("trusted.pem"), registry.certificate()).expect("certificate");
        fs::write(home.path().join("terraform.rc"), "").expect("CLI configuration");
        let mut client = Self {
            terraform,
            home,
            env: Vec::new(),
            helper: None,
        };
        for (name, file) in [
            ("HOME", ""),
            // Empty: `terraform login` opens a browser if it finds one.
            ("PATH", "bin"),
            ("SSL_CERT_FILE", "trusted.pem"),
            ("TF_CLI_CONFIG_FILE", "terraform.rc"),
            ("TMPDIR", "tmp"),
        ] {
            let path = client.home.path().join(file).display().to_string();
            client.set(name, &path);
        }
        client.set("CHECKPOINT_DISABLE", "1");
        client.set("HTTPS_PROXY", &proxy.url());
        client
    }

    /// Adds an environment variable.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Sets up a credentials helper, as its manual says.
    pub(crate) fn install(&mut self, name: &str, helper: Helper) {
        let plugins = self.home().join(".terraform.d/plugins");
        fs::create_dir_all(&plugins).expect("plugins");
        let program = plugins.join(format!("terraform-credentials-{name}"));
        symlink(&helper.program, &program).expect("link");
        let args = serde_json::to_string(&helper.args).expect("arguments");
        let config = format!("credentials_helper \"{name}\" {{\n  args = {args}\n}}\n");
        fs::write(self.home().join("terraform.rc"), config).expect("CLI configuration");
        self.env.extend(helper.env);
        self.helper = Some((program, helper.args));
    }

    /// Calls the installed helper as terraform would.
    pub(crate) fn helper(&self, verb: &str, host: &str, input: &str) -> Run {
        let (program, args) = self.helper.as_ref().expect("an installed helper");
        let mut command = self.command(program);
        command.args(args).args([verb, host]);
        run(&mut command, input.as_bytes())
    }

    /// Stores an object of credentials.
    #[track_caller]
    pub(crate) fn store(&self, host: &str, object: &Value) {
        let stored = self.helper("store", host, &object.to_string());
        assert_eq!(stored.expect_success().stdout, "");
    }

    /// The object of credentials that the helper knows.
    #[track_caller]
    pub(crate) fn stored(&self, host: &str) -> Value {
        let got = self.helper("get", host, "").expect_success();
        serde_json::from_str(&got.stdout).expect("one JSON value")
    }

    /// Installs a module, in a new working directory: terraform would not ask for
    /// a module that an earlier run left there.
    pub(crate) fn init(&self, module_source: &str) -> Run {
        let directory = tempfile::tempdir_in(self.home()).expect("working directory");
        let module = format!("module \"example\" {{\n  source = \"{module_source}\"\n}}\n");
        fs::write(directory.path().join("main.tf"), module).expect("module");
        let mut command = self.terraform("init");
        command.arg("-input=false").current_dir(&directory);
        run(&mut command, b"")
    }

    /// Confirms, and pastes a token.
    pub(crate) fn login(&self, host: &str, pasted_token: &str) -> Run {
        converse(self.terraform("login").arg(host), &["yes", pasted_token])
    }

    pub(crate) fn logout(&self, host: &str) -> Run {
        run(self.terraform("logout").arg(host), b"")
    }

    fn terraform(&self, command: &str) -> Command {
        let mut terraform = self.command(&self.terraform);
        terraform.args([command, "-no-color"]);
        terraform
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let env = self.env.iter().map(|(name, value)| (name, value));
        command.env_clear().envs(env).current_dir(self.home());
        command
    }
}
