//! Every project that `keyhost new` writes builds with one command, and holds
//! every check.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{run, skipped};

const KEYHOST: &str = env!("CARGO_BIN_EXE_keyhost");

const KINDS: [&str; 3] = ["key-provider", "credentials-helper", "ephemeral-resource"];

/// A directory of a test's own, empty.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("directory");
    directory
}

/// Whether a language's guest was built: then its toolchain is there.
fn toolchain(language: &str, guest: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/guests")
        .join(guest);
    let there = path.exists();
    assert!(
        there || std::env::var_os("CI").is_none(),
        "no toolchain for {language}"
    );
    if !there {
        skipped(&format!("projects in {language}: {guest} was not built"));
    }
    there
}

/// Writes, builds and judges a project of each kind. They have one directory
/// after the other, so that what a compiler kept of one serves the next.
fn each_kind(language: &str, guest: &str, variables: &[(&str, PathBuf)]) {
    if !toolchain(language, guest) {
        return;
    }
    let parent = directory(&format!("projects-{language}"));
    let project = parent.join("my-plugin");
    for kind in KINDS {
        let _ = fs::remove_dir_all(&project);
        let mut new = Command::new(KEYHOST);
        new.args(["new", "my-plugin", "--language", language, "--kind", kind])
            .current_dir(&parent);
        let told = String::from_utf8(run(&mut new).stdout).expect("UTF-8");
        assert!(told.contains("cd my-plugin\n"), "{told}");
        let mut make = Command::new("make");
        make.current_dir(&project)
            .arg(format!("KEYHOST={KEYHOST}"))
            // What cargo set for this test is not for the project's own build.
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("MAKEFLAGS");
        for (name, value) in variables {
            make.arg(format!("{name}={}", value.display()));
        }
        run(&mut make);
        assert!(project.join("my-plugin.wasm").exists());
        let report = String::from_utf8(run(make.arg("test")).stdout).expect("UTF-8");
        assert!(
            report.contains("1 of 1 components hold all checks"),
            "{report}"
        );
    }
}

/// A guest's own toolchain, which projects can use instead of another copy.
fn shared(guest: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../guest-providers")
        .join(guest)
        .join(".venv")
}

#[test]
fn in_rust() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects-rust-target");
    each_kind("rust", "pbkdf2.wasm", &[("CARGO_TARGET_DIR", kept)]);
}

#[test]
fn in_c() {
    each_kind("c", "pbkdf2-c.wasm", &[("VENV", shared("pbkdf2-c"))]);
}

#[test]
fn in_python() {
    each_kind(
        "python",
        "pbkdf2-python.wasm",
        &[("VENV", shared("pbkdf2-python"))],
    );
}

#[test]
fn in_javascript() {
    each_kind("javascript", "pbkdf2-javascript.wasm", &[]);
}

#[test]
fn nothing_is_written_over_or_left_half() {
    let parent = directory("projects-refused");
    fs::write(parent.join("taken"), "mine").expect("file");
    fs::create_dir_all(parent.join("full/of")).expect("directory");
    for (name, expected) in [
        ("taken", "exists already"),
        ("full", "exists already"),
        ("../out", "lower-case letters"),
        ("Upper", "lower-case letters"),
        ("", "lower-case letters"),
    ] {
        let output = Command::new(KEYHOST)
            .args(["new", name, "--language", "c"])
            .current_dir(&parent)
            .output()
            .expect("keyhost");
        assert!(!output.status.success(), "{name}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(expected), "{name}: {text}");
    }
    let output = Command::new(KEYHOST)
        .args([
            "new",
            "a",
            "--language",
            "c",
            "--directory",
            "no/such/place",
        ])
        .current_dir(&parent)
        .output()
        .expect("keyhost");
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("no directory no/such"), "{text}");
    assert_eq!(fs::read(parent.join("taken")).expect("file"), b"mine");
    let left: Vec<_> = fs::read_dir(&parent).expect("directory").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
