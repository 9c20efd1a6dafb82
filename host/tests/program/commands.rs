//! Commands that write files, and what the program keeps to itself.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use keyhost::digest::Digest;
use serde_json::Value;

use crate::support::{Run, data, guest, program, run};

fn run_in(directory: &Path, arguments: &[&str]) -> Run {
    run(program().current_dir(directory).args(arguments), b"")
}

const KEY: &str = "00112233445566778899aabbccddeeff";

/// A directory with a guest, and a configuration that does not pin it yet.
fn unpinned(file: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("directory");
    fs::copy(guest("static"), directory.path().join("static.wasm")).expect("copy");
    let text = if file.ends_with(".json") {
        format!(
            "{{\n  \"component\": {{\"static\": {{\"path\": \"static.wasm\"}}}},\n  \"encryption\": {{\"key_provider\": {{\"static\": {{\"s\": {{\"key\": \"{KEY}\"}}}}}}}}\n}}\n"
        )
    } else {
        format!(
            "# Ours.\ncomponent \"static\" {{\n  path = \"static.wasm\"\n}}\nencryption {{\n  key_provider \"static\" \"s\" {{\n    key = \"{KEY}\"\n  }}\n}}\n"
        )
    };
    fs::write(directory.path().join(file), text).expect("write");
    directory
}

#[test]
fn pin_writes_the_digest_and_nothing_else() {
    let directory = unpinned("keyhost.hcl");
    let path = directory.path().join("keyhost.hcl");
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("chmod");
    let before = fs::read_to_string(&path).expect("read");
    let digest = Digest::of(&fs::read(guest("static")).expect("guest"));
    let pinned = run_in(directory.path(), &["pin"]);
    assert_eq!(
        (pinned.code, pinned.stdout),
        (Some(0), format!("static {digest} pinned\n"))
    );
    let after = fs::read_to_string(&path).expect("read");
    let line = format!("  path = \"static.wasm\"\n  sha256 = \"{digest}\"\n");
    assert_eq!(after, before.replace("  path = \"static.wasm\"\n", &line));
    assert_eq!(
        fs::metadata(&path).expect("metadata").permissions().mode() & 0o777,
        0o640
    );
    let again = run_in(directory.path(), &["pin", "static"]);
    assert_eq!(again.stdout, format!("static {digest} unchanged\n"));
    let provided = run_in(directory.path(), &["provide", "key_provider.static.s"]);
    assert_eq!(provided.code, Some(0), "{}", provided.stderr);
}

#[test]
fn pin_tells_what_changed_and_refuses_what_is_no_provider() {
    let directory = unpinned("keyhost.hcl");
    let before = Digest::of(&fs::read(guest("static")).expect("guest"));
    assert_eq!(run_in(directory.path(), &["pin"]).code, Some(0));
    let component = directory.path().join("static.wasm");
    fs::copy(guest("xor"), &component).expect("copy");
    let refused = run_in(directory.path(), &["provide", "key_provider.static.s"]);
    assert_eq!(refused.code, Some(4));
    let changed = run_in(directory.path(), &["pin"]);
    assert!(
        changed.stdout.contains(&format!("changed, was {before}")),
        "{}",
        changed.stdout
    );
    fs::write(&component, "no component").expect("write");
    let config = fs::read(directory.path().join("keyhost.hcl")).expect("read");
    assert_eq!(run_in(directory.path(), &["pin"]).code, Some(4));
    assert_eq!(
        fs::read(directory.path().join("keyhost.hcl")).expect("read"),
        config
    );
}

#[test]
fn a_configuration_in_json_works_alike() {
    let directory = unpinned("keyhost.json");
    let with_config = |arguments: &[&str]| {
        run_in(
            directory.path(),
            &[&["--config", "keyhost.json"], arguments].concat(),
        )
    };
    let unpinned = with_config(&["provide", "key_provider.static.s"]);
    assert_eq!(unpinned.code, Some(3));
    assert!(
        unpinned.stderr.contains("has no sha256"),
        "{}",
        unpinned.stderr
    );
    assert_eq!(with_config(&["pin"]).code, Some(0));
    let provided = with_config(&["provide", "key_provider.static.s", "--reveal"]);
    let answer: Value = serde_json::from_str(&provided.stdout).expect("JSON");
    assert_eq!(answer["encryption_key"]["hex"], KEY);
}

#[test]
fn inspect_shows_what_a_component_declares() {
    let directory = tempfile::tempdir().expect("directory");
    let path = guest("pbkdf2").display().to_string();
    let shown = run_in(directory.path(), &["inspect", &path, "--format", "json"]);
    let facts: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(facts["id"], "pbkdf2");
    assert_eq!(facts["wasi"], false);
    assert!(
        facts["size"].as_u64().is_some_and(|size| size < 100 << 10),
        "{}",
        facts["size"]
    );
    let imports = facts["imports"].as_array().expect("imports");
    assert!(imports.iter().all(|import| {
        import
            .as_str()
            .is_some_and(|name| name.starts_with("keyhost:plugin/"))
    }));
    let attributes: Vec<_> = facts["attributes"]
        .as_array()
        .expect("attributes")
        .iter()
        .map(|a| &a["name"])
        .collect();
    assert_eq!(
        attributes,
        [
            "passphrase",
            "chain",
            "iterations",
            "key_length",
            "salt_length",
            "hash_function"
        ]
    );
    let text = run_in(directory.path(), &["inspect", &path]);
    assert!(text.stdout.contains("default 600000"), "{}", text.stdout);
}

#[test]
fn every_guest_is_small_and_imports_the_contract_alone() {
    for name in ["static", "pbkdf2", "xor"] {
        let bytes = fs::read(guest(name)).expect("guest");
        assert!(bytes.len() < 100 << 10, "{name}: {} bytes", bytes.len());
        let interface =
            keyhost::component::imports::Interface::of(&guest(name), &bytes).expect("interface");
        assert!(!interface.imports_wasi(), "{name}");
    }
}

#[test]
fn componentize_says_what_is_wrong_and_writes_nothing() {
    let directory = tempfile::tempdir().expect("directory");
    let module = directory.path().join("core.wasm");
    fs::write(&module, wat::parse_str("(module)").expect("WAT")).expect("write");
    let failed = run_in(
        directory.path(),
        &["componentize", "core.wasm", "-o", "out.wasm"],
    );
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.stderr.contains("no component-type section"),
        "{}",
        failed.stderr
    );
    assert!(!directory.path().join("out.wasm").exists());
}

/// A directory with an encrypted state, its configuration, and its plaintext.
fn encrypted(passphrase: &str) -> (tempfile::TempDir, String) {
    let vector = data("vectors/envelopes.json")
        .into_iter()
        .find(|vector| vector["name"] == "pbkdf2-24")
        .expect("vector");
    let text = |field: &str| vector[field].as_str().expect(field).to_owned();
    let directory = tempfile::tempdir().expect("directory");
    let encryption = text("config").replace("correct horse battery staple", passphrase);
    let config = format!(
        "{}encryption {{\n{encryption}\n}}\n",
        crate::support::components()
    );
    fs::write(directory.path().join("keyhost.hcl"), config).expect("write");
    fs::write(directory.path().join("state"), text("envelope")).expect("write");
    (directory, text("plaintext"))
}

#[test]
fn a_decrypted_state_is_for_its_owner_alone() {
    let (directory, plaintext) = encrypted("correct horse battery staple");
    let path = directory.path().join("plain");
    let done = run_in(
        directory.path(),
        &["state", "decrypt", "state", "--output", "plain"],
    );
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), ""),
        "{}",
        done.stderr
    );
    assert_eq!(fs::read_to_string(&path).expect("read"), plaintext);
    assert_eq!(
        fs::metadata(&path).expect("metadata").permissions().mode() & 0o777,
        0o600
    );
    let from_stdin = run(
        program()
            .current_dir(directory.path())
            .args(["state", "decrypt", "-"]),
        &fs::read(directory.path().join("state")).expect("read"),
    );
    assert_eq!(from_stdin.stdout, plaintext);
}

#[test]
fn output_to_what_is_no_file_leaves_it_in_its_place() {
    let (directory, plaintext) = encrypted("correct horse battery staple");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("/dev/stdout", &link).expect("link");
    for output in ["-", "/dev/stdout", "link"] {
        let done = run_in(
            directory.path(),
            &["state", "decrypt", "state", "-o", output],
        );
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(0), plaintext.as_str()),
            "{output}: {}",
            done.stderr
        );
    }
    assert!(fs::symlink_metadata(&link).expect("link").is_symlink());
    let done = run_in(
        directory.path(),
        &["state", "decrypt", "state", "-o", "/dev/null"],
    );
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(!fs::metadata("/dev/null").expect("null").is_file());
}

#[test]
fn an_output_that_others_could_read_is_closed_to_them() {
    let (directory, _) = encrypted("correct horse battery staple");
    let path = directory.path().join("plain");
    fs::write(&path, "").expect("write");
    fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("chmod");
    run_in(
        directory.path(),
        &["state", "decrypt", "state", "-o", "plain"],
    );
    assert_eq!(
        fs::metadata(&path).expect("metadata").permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn mistakes_in_a_configuration_do_not_show_secrets() {
    let secret = "hunter2hunter2hunter2";
    let directory = tempfile::tempdir().expect("directory");
    for (attribute, declaration) in [
        ("passphrase = hunter2hunter2hunter2", ""),
        ("passphrase = hunter2hunter2hunter2()", ""),
        ("passphrase = hunter2hunter2hunter2.x", ""),
        ("passphrase = trimspace([\"hunter2hunter2hunter2\"])", ""),
        (
            "passphrase = trimspace(var.p)",
            "variable \"p\" {\n default = [\"hunter2hunter2hunter2\"]\n}\n",
        ),
        ("passphrase = file(\"hunter2hunter2hunter2\")", ""),
        (
            "passphrase = filebase64(\"/tmp/hunter2hunter2hunter2\")",
            "",
        ),
        ("passphrase = base64decode(\"hunter2hunter2hunter2\")", ""),
        ("passphrase = \"hunter2hunter2hunter2\" + 1", ""),
        ("passphrase = -\"hunter2hunter2hunter2\"", ""),
        ("passphrase = [\"hunter2hunter2hunter2\"]", ""),
        ("passphrase = \"hunter2hunter2hunter2\" x", ""),
        ("passphrase = \"hunter2hunter2hunter2", ""),
        ("passphrase = { hunter2hunter2hunter2 = 1 }.x", ""),
        ("iterations = \"hunter2hunter2hunter2\"", ""),
        ("iterations = [\"hunter2hunter2hunter2\"]", ""),
        ("chain = { (\"hunter2hunter2hunter2\") = [1] }", ""),
        ("chain = \"hunter2hunter2hunter2\"", ""),
        ("pasphrase = \"hunter2hunter2hunter2\"", ""),
        (
            "passphrase = [for a in [1] : [for b in [\"hunter2hunter2hunter2\"] : b]]",
            "",
        ),
    ] {
        let text = format!(
            "{}{declaration}encryption {{\n  key_provider \"pbkdf2\" \"p\" {{\n    {attribute}\n  }}\n}}\n",
            crate::support::components()
        );
        fs::write(directory.path().join("keyhost.hcl"), text).expect("write");
        let failed = run_in(directory.path(), &["provide", "key_provider.pbkdf2.p"]);
        assert_eq!(failed.code, Some(3), "{attribute}: {}", failed.stderr);
        assert!(
            failed.stderr.contains("keyhost.hcl:"),
            "{attribute}: {}",
            failed.stderr
        );
        assert!(
            !failed.stderr.contains(secret),
            "{attribute}: {}",
            failed.stderr
        );
    }
    let failed = run_in(
        directory.path(),
        &["provide", "key_provider.pbkdf2.p", "-var", secret],
    );
    assert_eq!(failed.code, Some(2));
    assert!(!failed.stderr.contains(secret), "{}", failed.stderr);
}

#[test]
fn a_wrong_passphrase_leaves_files_as_they_were() {
    let (directory, _) = encrypted("another horse battery staple");
    let path = directory.path().join("plain");
    let failed = run_in(
        directory.path(),
        &["state", "decrypt", "state", "-o", "plain"],
    );
    assert_eq!(failed.code, Some(1));
    assert!(
        failed
            .stderr
            .contains("method.aes_gcm.m: authentication failed"),
        "{}",
        failed.stderr
    );
    assert!(
        !failed.stderr.contains("another horse"),
        "{}",
        failed.stderr
    );
    assert!(!path.exists());
    fs::write(&path, "as before").expect("write");
    run_in(
        directory.path(),
        &["state", "decrypt", "state", "-o", "plain"],
    );
    assert_eq!(fs::read_to_string(&path).expect("read"), "as before");
    assert_eq!(
        fs::read_dir(directory.path()).expect("directory").count(),
        3
    );
}

#[test]
fn variables_come_from_every_place_and_the_nearest_wins() {
    let directory = tempfile::tempdir().expect("directory");
    let text = format!(
        "{}variable \"key\" {{\n  sensitive = true\n}}\nencryption {{\n  key_provider \"static\" \"s\" {{\n    key = trimspace(var.key)\n  }}\n}}\n",
        crate::support::components()
    );
    fs::write(directory.path().join("keyhost.hcl"), text).expect("write");
    fs::write(
        directory.path().join("file.tfvars"),
        "key = \" 04 \"\nother = 1\n",
    )
    .expect("write");
    fs::write(directory.path().join("file.json"), "{\"key\": \"05\"}").expect("write");
    let key = |environment: &[(&str, &str)], arguments: &[&str]| {
        let mut command = program();
        command
            .current_dir(directory.path())
            .envs(environment.iter().copied());
        let run = run(
            command
                .args(["provide", "key_provider.static.s", "--reveal"])
                .args(arguments),
            b"",
        );
        let answer: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        answer["encryption_key"]["hex"]
            .as_str()
            .expect("hex")
            .to_owned()
    };
    let tofu = ("TF_VAR_key", "01");
    let ours = ("KEYHOST_VAR_key", "02");
    assert_eq!(key(&[tofu], &[]), "01");
    assert_eq!(key(&[tofu, ours], &[]), "02");
    assert_eq!(key(&[ours], &["-var-file", "file.tfvars"]), "04");
    assert_eq!(
        key(&[ours], &["--var-file=file.tfvars", "-var-file=file.json"]),
        "05"
    );
    assert_eq!(
        key(&[ours], &["-var-file=file.json", "-var", "key=03"]),
        "03"
    );
}

#[test]
fn the_process_leaves_no_core_file() {
    let directory = unpinned("keyhost.hcl");
    let mut child = program()
        .current_dir(directory.path())
        .args(["external", "key_provider.static.s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("start");
    // The header says that the process has begun; it waits for its input then.
    let mut header = [0; 1];
    std::io::Read::read_exact(child.stdout.as_mut().expect("stdout"), &mut header).expect("header");
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).expect("limits");
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .expect("core");
    assert_eq!(
        core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(),
        ["0", "0"]
    );
    child.kill().expect("kill");
    child.wait().expect("wait");
}

#[test]
fn two_processes_may_fill_the_cache_at_once() {
    let (directory, plaintext) = encrypted("correct horse battery staple");
    let cache = directory.path().join("cache");
    let runs: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut command = program();
                    command
                        .current_dir(directory.path())
                        .env("KEYHOST_CACHE_DIR", &cache);
                    run(command.args(["state", "decrypt", "state"]), b"")
                })
            })
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("run"))
            .collect()
    });
    for run in runs {
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(0), plaintext.as_str(), "")
        );
    }
    let entries = fs::read_dir(&cache).expect("cache").count();
    assert_eq!(entries, 1);
}

#[test]
fn precompile_fills_the_cache_for_the_first_run() {
    let directory = unpinned("keyhost.hcl");
    let unvetted = run_in(directory.path(), &["precompile"]);
    assert_eq!(unvetted.code, Some(3), "{}", unvetted.stderr);
    assert!(unvetted.stderr.contains("keyhost pin"));
    run_in(directory.path(), &["pin"]);
    let compiled = run_in(directory.path(), &["precompile", "--cache-dir", "cache"]);
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let entry = compiled
        .stdout
        .trim()
        .strip_prefix("static ")
        .expect("name");
    let entry = directory.path().join(entry);
    let written = fs::metadata(&entry).expect("entry");
    assert_eq!(written.permissions().mode() & 0o777, 0o600);
    let provide = ["provide", "key_provider.static.s", "--cache-dir", "cache"];
    let provided = run_in(directory.path(), &provide);
    assert_eq!((provided.code, provided.stderr.as_str()), (Some(0), ""));
    let after = fs::metadata(&entry).expect("entry");
    assert_eq!(
        after.modified().expect("time"),
        written.modified().expect("time"),
        "the entry was compiled anew"
    );
}

#[test]
fn precompile_fails_where_it_can_keep_nothing() {
    let directory = unpinned("keyhost.hcl");
    run_in(directory.path(), &["pin"]);
    fs::write(directory.path().join("cache"), "a file").expect("write");
    let refused = run_in(directory.path(), &["precompile", "--cache-dir", "cache"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cannot be written"),
        "{}",
        refused.stderr
    );
    let unknown = run_in(directory.path(), &["precompile", "other"]);
    assert_eq!(unknown.code, Some(3), "{}", unknown.stderr);
}
