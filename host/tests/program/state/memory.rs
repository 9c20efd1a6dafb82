//! How much memory a large file takes, at most: the figures of
//! docs/state-files.md.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use super::{STATIC, Scene, done};

const MEBIBYTE: usize = 1 << 20;

/// The state's size.
const SIZE: usize = 100 * MEBIBYTE;

/// What keyhost takes besides the file: its own code, the runtime, a component.
const BASE: usize = 32 * MEBIBYTE;

/// Base64 is a third longer than what it stands for.
const ENCRYPTED_SIZE: usize = SIZE / 3 * 4 + MEBIBYTE;

/// The largest resident set that a process has had, in bytes. `None` once it has
/// ended.
fn peak(child: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes = line.split_whitespace().nth(1)?;
    Some(kibibytes.parse::<usize>().ok()? * 1024)
}

/// Runs a command that prints; it is measured as it begins to.
fn printing(scene: &Scene, arguments: &[&str]) -> (Vec<u8>, usize) {
    printing_of(scene, arguments, Stdio::null())
}

fn printing_of(scene: &Scene, arguments: &[&str], input: Stdio) -> (Vec<u8>, usize) {
    let mut child = scene
        .command(arguments)
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdout = child.stdout.take().expect("stdout");
    let mut output = vec![0; 1];
    stdout.read_exact(&mut output).expect("output");
    let peak = peak(&child).expect("it waits for its reader");
    stdout.read_to_end(&mut output).expect("output");
    assert!(child.wait().expect("the program ends").success());
    (output, peak)
}

/// Runs a command to its end, and looks at it all the while.
fn watched(scene: &Scene, arguments: &[&str]) -> (Option<i32>, usize) {
    let mut child = scene
        .command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut highest = 0;
    loop {
        highest = highest.max(peak(&child).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("wait") {
            return (status.code(), highest);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn within(what: &str, peak: usize, file: usize) {
    let bound = file + BASE;
    assert!(peak < bound, "{what}: {peak} bytes, at most {bound}");
    assert!(peak > file / 2, "{what}: {peak} bytes were not all of it");
}

#[test]
fn a_state_of_100_mebibytes_takes_little_more_than_its_file() {
    let scene = Scene::new(STATIC);
    // The component is compiled before anything is measured.
    done(scene.run_with(&["encrypt", "-"], b"{\"version\":4}"));
    let mut state = b"{\"version\":4,\"serial\":9,\"outputs\":\"".to_vec();
    state.resize(SIZE - 2, b'x');
    state.extend_from_slice(b"\"}");
    scene.write("a", &state);
    let (encrypted, peak) = printing(&scene, &["encrypt", "a"]);
    within("encrypt", peak, SIZE);
    scene.write("a", &encrypted);
    let (decrypted, peak) = printing(&scene, &["decrypt", "a"]);
    within("decrypt", peak, ENCRYPTED_SIZE);
    assert!(decrypted == state, "another state");
    // How long a stream is shows at its end: the room for it doubles.
    let stream = fs::File::open(scene.path("a")).expect("open");
    let (decrypted, peak) = printing_of(&scene, &["decrypt", "-"], stream.into());
    within("decrypt a stream", peak, 2 * ENCRYPTED_SIZE);
    assert!(decrypted == state, "another state");
    let (code, peak) = watched(&scene, &["rotate", "a"]);
    assert_eq!(code, Some(0));
    within("rotate", peak, ENCRYPTED_SIZE);
    let (code, peak) = watched(&scene, &["verify", "a"]);
    assert_eq!(code, Some(0));
    within("verify", peak, ENCRYPTED_SIZE);
    let (code, peak) = watched(&scene, &["inspect", "a"]);
    assert_eq!(code, Some(0));
    within("inspect", peak, ENCRYPTED_SIZE);
}

/// The least that makes a reader take the most.
#[test]
fn hostile_files_take_no_more_than_states_of_their_size() {
    let scene = Scene::new(STATIC);
    let size = 64 * MEBIBYTE;
    for (what, start, repeated) in [
        ("nesting", "{\"x\":", "["),
        ("objects", "{\"x\":", "{\"a\":"),
        (
            "metadata",
            "{\"encryption_version\":\"v0\",\"meta\":{\"a\":\"\"",
            ",\"b\":\"\"",
        ),
        ("fields", "{\"a\":0", ",\"b\":0"),
        ("elements", "{\"version\":[0", ",0"),
        ("escapes", "{\"lineage\":\"", "\\u0041"),
    ] {
        let mut file = fs::File::create(scene.path("hostile")).expect("create");
        let piece = repeated.repeat(MEBIBYTE / repeated.len());
        file.write_all(start.as_bytes()).expect("write");
        for _ in 0..size / MEBIBYTE {
            file.write_all(piece.as_bytes()).expect("write");
        }
        drop(file);
        for command in ["inspect", "decrypt"] {
            let (code, peak) = watched(&scene, &[command, "hostile"]);
            assert_eq!(code, Some(1), "{what}");
            assert!(peak < 2 * size + BASE, "{what}: {peak} bytes");
        }
    }
}
