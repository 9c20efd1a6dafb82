//! `KEYHOST_LOG_FILE`: clients hide a helper's standard error at times.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use super::{Scene, TOKEN, base, object, shows};
use crate::support::{Run, run};

/// About how large a file becomes.
const FULL: usize = 1 << 20;

fn logged(scene: &Scene, arguments: &[&str], input: &str) -> Run {
    let mut command = scene.command(arguments);
    command.env("KEYHOST_LOG_FILE", scene.path("log"));
    run(&mut command, input.as_bytes())
}

/// Fails with a reason that names this host.
fn fail(scene: &Scene, host: &str) {
    let answer = logged(scene, &["store", host], "no object");
    assert_eq!(answer.code, Some(1), "{}", answer.stderr);
}

fn read(scene: &Scene, name: &str) -> String {
    fs::read_to_string(scene.path(name)).expect(name)
}

#[test]
fn a_failure_is_written_with_time_and_process() {
    let scene = Scene::vault();
    let child = scene
        .command(&["--config", "missing.hcl", "get", "example.com"])
        .env("KEYHOST_LOG_FILE", scene.path("log"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let process = child.id().to_string();
    let output = child.wait_with_output().expect("the program ends");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    let log = read(&scene, "log");
    let (time, rest) = log.split_once(' ').expect("time");
    chrono::DateTime::parse_from_rfc3339(time).expect(time);
    assert_eq!(rest, format!("{process} {stderr}"));
    assert!(rest.contains("missing.hcl"), "{rest}");
    let metadata = fs::metadata(scene.path("log")).expect("log");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_success_writes_nothing() {
    let scene = Scene::vault();
    super::done(&logged(&scene, &["get", "example.com"], ""), "{}\n");
    assert!(!scene.path("log").exists());
}

#[test]
fn every_way_to_fail_is_written() {
    let scene = Scene::vault();
    for (arguments, word) in [
        (&["get", "a/b"][..], "no host"),
        (&["get", "example.com", "--helper", "x"], "\"x\""),
        (&["store", "example.com"], "JSON object"),
    ] {
        let answer = logged(&scene, arguments, "");
        assert_ne!(answer.code, Some(0));
        let log = read(&scene, "log");
        let last = log.lines().last().expect("line");
        assert!(last.contains(word), "{word}: {last}");
    }
    assert_eq!(read(&scene, "log").lines().count(), 3);
}

#[test]
fn a_full_file_is_put_aside() {
    let scene = Scene::vault();
    for round in ["one", "two"] {
        let line = format!("{round}\n");
        fs::write(scene.path("log"), line.repeat(FULL / line.len())).expect("write");
        fail(&scene, "first.example");
        fail(&scene, "second.example");
        let log = read(&scene, "log");
        assert_eq!(log.lines().count(), 2, "{log}");
        assert!(log.contains("first.example") && log.contains("second.example"));
        let old = read(&scene, "log.old");
        assert!(old.starts_with(&line) && old.len() <= FULL);
        let metadata = fs::metadata(scene.path("log")).expect("log");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_link_in_its_place_is_not_followed() {
    let scene = Scene::vault();
    fs::write(scene.path("victim"), "as before").expect("write");
    symlink(scene.path("victim"), scene.path("log")).expect("link");
    fail(&scene, "example.com");
    assert_eq!(read(&scene, "victim"), "as before");
    let link = fs::symlink_metadata(scene.path("log")).expect("link");
    assert!(link.is_symlink());
    // Nor is a name that leads to no file written.
    fs::remove_file(scene.path("victim")).expect("remove");
    fail(&scene, "example.com");
    assert!(!scene.path("victim").exists());
}

#[test]
fn where_it_cannot_be_written_the_command_is_the_same() {
    let scene = Scene::vault();
    fs::create_dir(scene.path("log")).expect("directory");
    fail(&scene, "example.com");
    let mut command = scene.command(&["get", "a/b"]);
    let answer = run(command.env("KEYHOST_LOG_FILE", "/dev/null/log"), b"");
    super::refused(&answer, 2, &["no host"]);
}

#[test]
fn no_token_is_in_it() {
    let scene = Scene::vault();
    let store = |text: &str| {
        let answer = logged(&scene, &["store", "example.com"], text);
        assert_ne!(answer.code, Some(0));
        assert!(!shows(answer.stderr.as_bytes(), TOKEN), "{}", answer.stderr);
    };
    store(TOKEN);
    store(&object(&format!("{TOKEN}\\n")));
    let env = "credentials_helper \"env\" {\n  tokens = {}\n}\n";
    scene.configure(&(base() + env));
    store(&object(TOKEN));
    scene.configure(&super::vault("static.short"));
    store(&object(TOKEN));
    scene.configure("no configuration");
    store(&object(TOKEN));
    let log = read(&scene, "log");
    assert_eq!(log.lines().count(), 5, "{log}");
    assert!(!shows(log.as_bytes(), TOKEN), "{log}");
}
