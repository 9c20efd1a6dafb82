//! Processes that are killed as they write: there is the old file or the new
//! one, and nothing else.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::reader::Read;
use super::{STATIC, Scene, done};

const ROUNDS: u64 = 40;

/// Large enough for the writing to be hit.
const SIZE: usize = 4 << 20;

const KEY: [u8; 32] = *b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";

fn state() -> String {
    format!(
        "{{\"version\":4,\"outputs\":\"{}\"}}",
        "s3cr3t".repeat(SIZE / 6)
    )
}

/// Runs commands that are killed after a while; the while is fitted, so that
/// about as many end by themselves. Returns how many did, and how many did not.
fn kill_each(scene: &Scene, arguments: &[&str], mut after: impl FnMut(bool)) -> (usize, usize) {
    let (mut ended, mut killed) = (0, 0);
    let mut life = 0.1;
    for round in 0..ROUNDS {
        let mut child = scene
            .command(arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let part = RandomState::new().hash_one(round) % 1000;
        thread::sleep(Duration::from_secs_f64(2.0 * life * part as f64 / 1000.0));
        child.kill().expect("kill");
        let whole = child.wait().expect("the process ends").code() == Some(0);
        if whole {
            ended += 1;
            life /= 1.2;
        } else {
            killed += 1;
            life *= 1.2;
        }
        after(whole);
        // Killed between its two names, at worst.
        for name in scene.listing().into_iter().filter(|name| name != "a") {
            assert!(name.starts_with(".keyhost-"), "{name}");
            fs::remove_file(scene.path(&name)).expect("remove");
        }
    }
    (ended, killed)
}

#[test]
fn a_rotation_that_is_killed_leaves_a_whole_file() {
    let scene = Scene::new(STATIC);
    let state = state();
    scene.write("a", &state);
    done(scene.run(&["encrypt", "--in-place", "a"]));
    let mut before = scene.read("a");
    let (ended, killed) = kill_each(&scene, &["rotate", "a"], |whole| {
        let now = scene.read("a");
        let opened = Read::of(&now).open(&KEY, b"").expect("it opens");
        assert!(opened == state.as_bytes());
        assert!(now != before || !whole, "rotated to the same file");
        before = now;
    });
    assert!(ended > 3 && killed > 3, "{ended} ended, {killed} killed");
}

#[test]
fn a_decryption_that_is_killed_leaves_the_old_or_the_new_file() {
    let scene = Scene::new(STATIC);
    let state = state();
    scene.write("a", &state);
    done(scene.run(&["encrypt", "--in-place", "a"]));
    let encrypted = scene.read("a");
    let (ended, killed) = kill_each(&scene, &["decrypt", "--in-place", "a"], |whole| {
        let now = scene.read("a");
        assert!(now == state.as_bytes() || (now == encrypted && !whole));
        fs::write(scene.path("a"), &encrypted).expect("write");
    });
    assert!(ended > 3 && killed > 3, "{ended} ended, {killed} killed");
}
