//! `keyhost exec`: values in a command's hands, and no lease left behind.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use keyhost::clock::WallClock;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::crypto::HashFunction;
use keyhost::crypto::mac::hmac;
use keyhost::ephemeral::EphemeralResources;
use keyhost::ephemeral::leases::Leases;
use keyhost::key_provider::KeyProviders;
use keyhost::secret::Secret;
use keyhost::storage::{EmbeddedStorage, Storage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Recorded, Run, cache, component, guest, program, run};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const SESSION: &str = "ephemeral_resource.session.ci";
const BACKUP: &str = "ephemeral_resource.derived-key.backup";

/// A configuration with its storage.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("directory");
        let storage = "grants {\n storage = true\n}";
        let text = format!(
            r#"{}{}{}
storage "file" {{
  path = "leases.redb"
}}
variable "key" {{
  sensitive = true
}}
encryption {{
  key_provider "static" "main" {{
    key = var.key
  }}
}}
ephemeral_resource "session" "ci" {{
  key      = key_provider.static.main
  subject  = "ci"
  lifetime = 3
}}
ephemeral_resource "session" "short" {{
  key              = key_provider.static.main
  subject          = "ci"
  lifetime         = 60
  maximum_lifetime = 30
}}
ephemeral_resource "derived-key" "backup" {{
  key     = key_provider.static.main
  context = "backup"
}}
"#,
            component("static", &guest("static"), ""),
            component("session", &guest("session"), storage),
            component("derived-key", &guest("derived-key"), ""),
        );
        fs::write(directory.path().join("keyhost.hcl"), text).expect("configuration");
        Self(directory)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command
            .current_dir(self.0.path())
            .env("KEYHOST_VAR_key", KEY)
            .arg("exec")
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments), b"")
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().expect("starts")
    }

    fn storage(&self) -> EmbeddedStorage {
        EmbeddedStorage::new(self.0.path().join("leases.redb"))
    }

    /// The leases that live, by their names.
    fn leases(&self) -> Vec<String> {
        self.storage().keys("components/session").expect("leases")
    }

    fn lease(&self, name: &str) -> Option<Value> {
        let record = self
            .storage()
            .get("components/session", name)
            .expect("it reads");
        record.map(|record| serde_json::from_slice(&record).expect("JSON"))
    }

    /// Waits for a number of leases.
    fn wait_for(&self, count: usize) -> Vec<String> {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let leases = self.leases();
            if leases.len() == count {
                return leases;
            }
            assert!(Instant::now() < end, "{leases:?}, not {count}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("pid");
    // It may have ended a moment ago.
    let _ = kill_process(Pid::from_raw(pid).expect("pid"), signal);
}

#[test]
fn the_command_has_the_values_and_its_code_counts() {
    let scene = Scene::new();
    let script = "printf '%s %s %s' \"$CI_TOKEN\" \"$CI_ID\" \"$BACKUP_HEX\"; exit 7";
    let answer = scene.run(&[SESSION, BACKUP, "--", "sh", "-c", script]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(7), ""));
    let values: Vec<_> = answer.stdout.split(' ').collect();
    let [token, id, subkey] = values[..] else {
        panic!("{}", answer.stdout);
    };
    // RFC 7519 and RFC 7515, by hand.
    let (message, signature) = token.rsplit_once('.').expect("a signature");
    let key = Secret::new(hex::decode(KEY).expect("key"));
    let expected = hmac(&key, message.as_bytes(), HashFunction::Sha256).expect("hmac");
    assert_eq!(signature, URL_SAFE_NO_PAD.encode(expected));
    let (_, claims) = message.split_once('.').expect("claims");
    let claims = URL_SAFE_NO_PAD.decode(claims).expect("base64");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    assert_eq!(
        (claims["sub"].as_str(), claims["jti"].as_str()),
        (Some("ci"), Some(id))
    );
    // HKDF by Python's hmac, as in the guest's own cases.
    let cases = fs::read_to_string(guest("derived-key").with_extension("compliance.toml"));
    assert!(
        cases
            .expect("cases")
            .contains(&format!("hex = \"{subkey}\"")),
        "{subkey}"
    );
    assert_eq!(scene.leases(), [""; 0]);
}

#[test]
fn variables_are_chosen_and_keyhosts_own_are_kept_away() {
    let scene = Scene::new();
    let mapped = format!("ID={SESSION}.id");
    let arguments = [
        SESSION, BACKUP, "--env", "T=token", "--env", &mapped, "--", "env",
    ];
    let answer = scene.run(&arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let has = |name: &str| answer.stdout.lines().any(|line| line.starts_with(name));
    assert!(has("T=ey") && has("ID="), "{}", answer.stdout);
    for other in ["CI_TOKEN=", "BACKUP_HEX=", "KEYHOST_VAR_key="] {
        assert!(!has(other), "{other}");
    }
    let unknown = scene.run(&[SESSION, "--env", "T=nothing", "--", "true"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("there is no value nothing"),
        "{}",
        unknown.stderr
    );
    assert_eq!(
        scene.run(&[SESSION, "--env", "T", "--", "true"]).code,
        Some(2)
    );
    assert_eq!(scene.leases(), [""; 0]);
}

#[test]
fn a_file_in_memory_takes_the_place_of_variables() {
    let scene = Scene::new();
    let script =
        "cat \"$KEYHOST_VALUES\"; echo; echo x >> \"$KEYHOST_VALUES\"; env | grep -c TOKEN";
    let answer = scene.run(&[SESSION, "--file-descriptor", "--", "sh", "-c", script]);
    let mut lines = answer.stdout.lines();
    let values: Value = serde_json::from_str(lines.next().expect("values")).expect("JSON");
    assert!(
        values[SESSION]["token"]
            .as_str()
            .is_some_and(|token| token.starts_with("ey"))
    );
    assert_eq!(lines.next(), Some("0"));
    assert!(!answer.stderr.is_empty(), "the file is sealed");
}

#[test]
fn a_lease_is_renewed_while_the_command_runs() {
    let scene = Scene::new();
    let mut child = scene.start(&[SESSION, "--", "sleep", "8"]);
    let name = scene.wait_for(1).remove(0);
    let expires = |lease: &Value| lease["expires_at"].as_u64().expect("a time");
    let first = expires(&scene.lease(&name).expect("lease"));
    let mut ends = vec![first];
    while child.try_wait().expect("child").is_none() {
        if let Some(lease) = scene.lease(&name) {
            ends.push(expires(&lease));
        }
        thread::sleep(Duration::from_millis(200));
    }
    ends.dedup();
    assert!(ends.len() >= 3, "renewed at least twice: {ends:?}");
    assert!(ends.is_sorted(), "{ends:?}");
    assert_eq!(scene.leases(), [""; 0]);
}

#[test]
fn signals_reach_the_command_and_everything_is_closed() {
    let scene = Scene::new();
    for (sent, script, code) in [
        (
            Signal::TERM,
            "trap 'exit 42' TERM; while :; do sleep 0.05; done",
            42,
        ),
        (
            Signal::INT,
            "trap 'exit 43' INT; while :; do sleep 0.05; done",
            43,
        ),
        (Signal::TERM, "exec sleep 60", 128 + 15),
    ] {
        let mut child = scene.start(&[SESSION, "--", "sh", "-c", script]);
        scene.wait_for(1);
        thread::sleep(Duration::from_millis(150));
        signal(&child, sent);
        let status = child.wait().expect("ends");
        assert_eq!(status.code(), Some(code), "{script}");
        assert_eq!(scene.leases(), [""; 0]);
    }
    let killed = scene.run(&[SESSION, "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(killed.code, Some(128 + 9));
    assert_eq!(scene.leases(), [""; 0]);
}

#[test]
fn what_cannot_be_opened_or_run_leaves_nothing_open() {
    let scene = Scene::new();
    let short = "ephemeral_resource.session.short";
    let answer = scene.run(&[SESSION, short, "--", "true"]);
    assert_eq!(answer.code, Some(1), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("maximum_lifetime is shorter"),
        "{}",
        answer.stderr
    );
    let unknown = scene.run(&["ephemeral_resource.session.other", "--", "true"]);
    assert_eq!(unknown.code, Some(3), "{}", unknown.stderr);
    let missing = scene.run(&[SESSION, "--", "/nonexistent/program"]);
    assert_eq!(missing.code, Some(1), "{}", missing.stderr);
    assert!(
        missing
            .stderr
            .contains("/nonexistent/program cannot be run")
    );
    assert_eq!(scene.run(&[SESSION]).code, Some(2));
    assert_eq!(scene.leases(), [""; 0]);
}

/// Kills keyhost in all ways and at any time, also while it opens and closes.
#[test]
fn no_kill_leaves_a_lease_open() {
    const KILLS: u64 = 200;
    let scenes: Vec<_> = (0..4).map(|_| Scene::new()).collect();
    thread::scope(|scope| {
        for (worker, scene) in (0..).zip(&scenes) {
            scope.spawn(move || {
                for round in 0..KILLS / 4 {
                    let mut child = scene.start(&[SESSION, "--", "sleep", "0.15"]);
                    let pause = (round * 7919 + worker * 104_729) % 250;
                    thread::sleep(Duration::from_millis(pause));
                    signal(
                        &child,
                        match round % 3 {
                            0 => Signal::TERM,
                            1 => Signal::INT,
                            _ => Signal::KILL,
                        },
                    );
                    child.wait().expect("ends");
                }
            });
        }
    });
    for scene in &scenes {
        scene.wait_for(0);
    }
    // A keeper that was still opening has closed by then, too.
    thread::sleep(Duration::from_secs(1));
    for scene in &scenes {
        scene.wait_for(0);
    }
}

/// The leases of a scene, with a clock that stands until it is set.
fn standing_leases(scene: &Scene, clock: &WallClock) -> Leases {
    let path = scene.0.path().join("keyhost.hcl");
    let inputs = Inputs {
        values: vec![("key".to_owned(), KEY.to_owned())],
        ..Inputs::default()
    };
    let config = Config::load(&path, &inputs).expect("configuration");
    let providers = KeyProviders::new(&config, cache(), Arc::new(Recorded::default()));
    let providers = providers.with_clock(clock.clone());
    let resources = EphemeralResources::new(&config, providers, Arc::new(scene.storage()));
    let resource = resources
        .load(&SESSION.parse().expect("address"))
        .expect("loads");
    let mut leases = Leases::new(clock.clone(), Box::new(|_| {}));
    leases.open(resource).expect("opens");
    leases
}

const NOW: u64 = 1_800_000_000;

#[test]
fn a_clock_that_is_set_forward_renews_and_a_missed_end_is_no_renewal() {
    let scene = Scene::new();
    let clock = WallClock::standing(NOW);
    let mut leases = standing_leases(&scene, &clock);
    let name = scene.leases().remove(0);
    let end = || {
        scene
            .lease(&name)
            .and_then(|lease| lease["expires_at"].as_u64())
    };
    assert_eq!(end(), Some(NOW + 3));
    leases.renew_due();
    assert_eq!(end(), Some(NOW + 3), "it is not due yet");
    clock.set(NOW + 2);
    leases.renew_due();
    assert_eq!(end(), Some(NOW + 5));
    // A machine that slept past the end cannot bring the lease back.
    clock.set(NOW + 3_000);
    leases.renew_due();
    assert_eq!(end(), Some(NOW + 5));
    assert!(leases.close_all().is_empty(), "it closes all the same");
    assert_eq!(scene.leases(), [""; 0]);
}

#[test]
fn a_panic_closes_what_is_open() {
    let scene = Scene::new();
    let panicked = thread::scope(|scope| {
        let panics = || {
            let _leases = standing_leases(&scene, &WallClock::standing(NOW));
            assert_eq!(scene.leases().len(), 1);
            panic!("as if by a mistake");
        };
        scope.spawn(panics).join().is_err()
    });
    assert!(panicked);
    assert_eq!(scene.leases(), [""; 0]);
}
