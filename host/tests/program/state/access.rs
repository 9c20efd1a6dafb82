//! Who may read and own what is written, and what is not written.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::process::Command;

use rustix::fs::{FlockOperation, fcntl_lock};

use super::{ROTATION, STATIC, Scene, done, failed, opentofu_state};
use crate::support::skipped;

/// Somebody who is not root.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn mode_owner_and_group_stay() {
    let scene = Scene::new(STATIC);
    scene.write("a", r#"{"version":4}"#);
    let path = scene.path("a");
    for (command, mode) in [
        (&["encrypt", "--in-place", "a"][..], 0o640),
        (&["rotate", "a"], 0o444),
        (&["rotate", "a"], 0o4711),
        (&["decrypt", "--in-place", "a"], 0o600),
    ] {
        if is_root() {
            chown(&path, Some(NOBODY), Some(12_345)).expect("chown");
        }
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("chmod");
        let before = fs::metadata(&path).expect("metadata");
        done(scene.run(command));
        let after = fs::metadata(&path).expect("metadata");
        assert_eq!(after.mode() & 0o7777, mode, "{command:?}");
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "{command:?} wrote nothing");
    }
    if !is_root() {
        skipped("owners: only root gives files away");
    }
}

#[test]
fn a_plain_state_that_others_can_read_is_warned_of() {
    let scene = Scene::new(STATIC);
    for (mode, warned) in [(0o644, true), (0o640, true), (0o600, false)] {
        scene.write("a", r#"{"version":4}"#);
        done(scene.run(&["encrypt", "--in-place", "a"]));
        fs::set_permissions(scene.path("a"), Permissions::from_mode(mode)).expect("chmod");
        let run = scene.run(&["decrypt", "--in-place", "a"]);
        let warning = "warning: a is in the clear, and others may read it\n";
        assert_eq!(
            run.stderr.contains(warning),
            warned,
            "{mode:o}: {}",
            run.stderr
        );
        done(run);
    }
}

#[test]
fn what_is_written_elsewhere_is_the_users_alone() {
    let scene = Scene::new(STATIC);
    scene.write("plain", r#"{"version":4}"#);
    done(scene.run(&["encrypt", "plain", "-o", "encrypted"]));
    scene.write("decrypted", "old");
    fs::set_permissions(scene.path("decrypted"), Permissions::from_mode(0o644)).expect("chmod");
    done(scene.run(&["decrypt", "encrypted", "-o", "decrypted"]));
    for name in ["encrypted", "decrypted"] {
        let mode = fs::metadata(scene.path(name)).expect("metadata").mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(scene.read("decrypted"), scene.read("plain"));
}

/// Root writes everywhere: the program runs as somebody else.
#[test]
fn a_directory_that_cannot_be_written_keeps_its_file() {
    let scene = Scene::new(STATIC);
    scene.write("a", r#"{"version":4}"#);
    done(scene.run(&["encrypt", "--in-place", "a"]));
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skipped("a read-only directory: needs root and setpriv");
    }
    fs::set_permissions(scene.path("a"), Permissions::from_mode(0o644)).expect("chmod");
    let directory = scene.directory.path();
    fs::set_permissions(directory, Permissions::from_mode(0o555)).expect("chmod");
    let before = scene.read("a");
    let (uid, gid) = (NOBODY.to_string(), NOBODY.to_string());
    let program = env!("CARGO_BIN_EXE_keyhost");
    let output = Command::new("setpriv")
        .args(["--reuid", &uid, "--regid", &gid, "--clear-groups", program])
        .args(["--cache-dir", "/nonexistent", "state", "rotate", "a"])
        .current_dir(directory)
        .output()
        .expect("setpriv");
    let said = String::from_utf8_lossy(&output.stderr);
    fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("chmod");
    if said.contains("setpriv:") {
        return skipped("a read-only directory: the build cannot be run by others");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("a cannot be rotated: Permission denied"),
        "{said}"
    );
    assert_eq!(scene.read("a"), before);
    assert_eq!(scene.listing(), ["a"]);
}

#[test]
fn what_another_process_has_locked_stays() {
    let scene = Scene::new(ROTATION);
    let (envelope, _) = opentofu_state();
    for name in ["locked", "free"] {
        scene.write(name, &envelope);
    }
    let file = File::options().write(true).open(scene.path("locked"));
    let file = file.expect("open");
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).expect("lock");
    let said = failed(scene.run(&["rotate", "locked", "free"]), 1);
    assert!(
        said.contains("locked cannot be rotated: another process has locked it: is tofu at work?"),
        "{said}"
    );
    assert_eq!(scene.text("locked"), envelope);
    assert_ne!(scene.text("free"), envelope);
    drop(file);
    done(scene.run(&["rotate", "locked"]));
    assert_ne!(scene.text("locked"), envelope);
}

/// What is named for the output is as precious as what is worked on in place.
#[test]
fn an_output_that_exists_is_locked_and_keeps_its_owner() {
    let scene = Scene::new(STATIC);
    scene.write("plain", r#"{"version":4}"#);
    scene.write("output", "old");
    let path = scene.path("output");
    if is_root() {
        chown(&path, Some(NOBODY), Some(12_345)).expect("chown");
    } else {
        skipped("owners: only root gives files away");
    }
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("chmod");
    let before = fs::metadata(&path).expect("metadata");
    let file = File::options().write(true).open(&path).expect("open");
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).expect("lock");
    let said = failed(scene.run(&["encrypt", "plain", "-o", "output"]), 1);
    assert_eq!(
        said,
        "error: output cannot be written: another process has locked it: is tofu at work?\n"
    );
    assert_eq!(scene.text("output"), "old");
    drop(file);
    done(scene.run(&["encrypt", "plain", "-o", "output"]));
    let after = fs::metadata(&path).expect("metadata");
    assert_eq!(
        (after.uid(), after.gid(), after.mode()),
        (before.uid(), before.gid(), before.mode())
    );
    // A plaintext is the owner's alone, also over what it was made of.
    done(scene.run(&["decrypt", "output", "-o", "./output"]));
    assert_eq!(scene.read("output"), scene.read("plain"));
    let after = fs::metadata(&path).expect("metadata");
    assert_eq!(after.mode() & 0o777, 0o600);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
}

/// The lock is held from before the reading until after the writing.
#[test]
fn an_output_that_is_the_input_is_locked_throughout() {
    let scene = Scene::new(STATIC);
    let plain = r#"{"version":4}"#;
    scene.write("a", plain);
    symlink("a", scene.path("link")).expect("link");
    let file = File::options().write(true).open(scene.path("a"));
    let file = file.expect("open");
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).expect("lock");
    let said = failed(scene.run(&["encrypt", "a", "-o", "link"]), 1);
    assert!(
        said.contains("a cannot be encrypted: another process has locked it"),
        "{said}"
    );
    assert_eq!(scene.text("a"), plain);
    drop(file);
    done(scene.run(&["encrypt", "a", "-o", "link"]));
    assert_ne!(scene.text("a"), plain);
    assert!(scene.path("link").is_symlink());
    assert_eq!(done(scene.run(&["decrypt", "a"])), plain);
}

#[test]
fn a_link_that_leads_nowhere_stays() {
    let scene = Scene::new(STATIC);
    scene.write("a", r#"{"version":4}"#);
    symlink("nowhere", scene.path("link")).expect("link");
    let said = failed(scene.run(&["encrypt", "a", "-o", "link"]), 1);
    assert_eq!(
        said,
        "error: link cannot be written: it is a link that leads nowhere\n"
    );
    assert_eq!(scene.listing(), ["a", "link"]);
}

#[test]
fn other_names_of_a_file_are_warned_of() {
    let scene = Scene::new(STATIC);
    let plain = r#"{"version":4}"#;
    scene.write("a", plain);
    fs::hard_link(scene.path("a"), scene.path("b")).expect("link");
    let warning = "warning: a has other names (hard links), which keep the old content\n";
    let run = scene.run(&["encrypt", "--in-place", "a"]);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    done(run);
    assert_eq!(scene.text("b"), plain);
    let run = scene.run(&["rotate", "a"]);
    assert!(!run.stderr.contains("hard links"), "{}", run.stderr);
}

#[test]
fn names_of_files_do_not_reach_the_terminal_as_they_are() {
    let scene = Scene::new(STATIC);
    let name = "a\n\u{1b}[2J\u{9b}b";
    let shown = "a\\u{a}\\u{1b}[2J\\u{9b}b";
    scene.write(name, r#"{"version":4}"#);
    let run = scene.run(&["encrypt", "--check", name]);
    assert_eq!(run.stdout, format!("{shown}\n"));
    let said = failed(scene.run(&["verify", name]), 1);
    assert!(
        said.starts_with(&format!("error: {shown} is not verified: ")),
        "{said}"
    );
    let encrypted = done(scene.run(&["encrypt", name]));
    let told = done(scene.run_with(&["verify", "-"], encrypted.as_bytes()));
    assert_eq!(told, "standard input: state, opened by method.aes_gcm.s\n");
    done(scene.run(&["encrypt", "--in-place", name]));
    let told = done(scene.run(&["verify", name]));
    assert_eq!(
        told,
        format!("{shown}: state, opened by method.aes_gcm.s\n")
    );
}

#[test]
fn only_regular_files_are_replaced() {
    let scene = Scene::new(STATIC);
    fs::create_dir(scene.path("directory")).expect("directory");
    for name in ["directory", "/dev/null"] {
        let said = failed(scene.run(&["rotate", name]), 1);
        assert!(
            said.contains("cannot be rotated: it is no regular file"),
            "{said}"
        );
    }
}

/// The component fails, is refused, or answers against the contract.
#[test]
fn a_component_that_fails_leaves_the_file() {
    let (envelope, _) = opentofu_state();
    for guest in [
        "trap",
        "endless_loop",
        "memory_growth",
        "broken_metadata",
        "no_metadata",
        "huge_metadata",
    ] {
        let scene = Scene::new("");
        let path = crate::support::guest(&format!("faulty/{guest}"));
        let faulty =
            crate::support::component("faulty", &path, "  limits {\n    fuel = 10000000\n  }\n");
        let encryption = ROTATION
            .replace(
                "key_provider \"pbkdf2\" \"new\" {",
                "key_provider \"faulty\" \"new\" {",
            )
            .replace(
                "    passphrase = \"second passphrase 0002\"\n    iterations = 200000\n",
                "    key = \"correct horse battery staple\"\n",
            )
            .replace("key_provider.pbkdf2.new", "key_provider.faulty.new");
        let text = format!(
            "{}{faulty}encryption {{\n{encryption}\n}}\n",
            crate::support::components()
        );
        scene.write("keyhost.hcl", text);
        scene.write("a", &envelope);
        let run = scene.run(&["rotate", "a"]);
        assert_eq!(scene.text("a"), envelope, "{guest}");
        assert_eq!(scene.listing(), ["a"], "{guest}");
        assert!(
            run.stderr.contains("a cannot be rotated: "),
            "{guest}: {}",
            run.stderr
        );
        assert_eq!(run.code, Some(1), "{guest}: {}", run.stderr);
    }
}
