//! A client waits for a helper without a limit: the helper has its own.

use std::process::Stdio;
use std::time::{Duration, Instant};

use redb::Database;

use super::{Scene, TOKEN, done, kept, object, refused, shows};
use crate::support::run;

/// Less than the storage waits by itself.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_storage_that_is_held_ends_the_call_in_time() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let held = Database::open(scene.database()).expect("database");
    for verb in ["get", "store", "forget"] {
        let start = Instant::now();
        let mut command = scene.command(&["--time-limit", "1", verb, "example.com"]);
        let answer = run(&mut command, object("another").as_bytes());
        let elapsed = start.elapsed();
        let words = [verb, "example.com", "longer than 1 s", "--time-limit"];
        refused(&answer, 1, &words);
        assert!(!shows(answer.stderr.as_bytes(), TOKEN));
        assert!((Duration::from_secs(1)..SOON).contains(&elapsed));
    }
    drop(held);
    done(&scene.get("example.com"), &kept());
}

#[test]
fn a_storage_that_is_held_for_a_moment_is_waited_for() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let held = Database::open(scene.database()).expect("database");
    let answer = std::thread::scope(|scope| {
        let get = scope.spawn(|| scene.get("example.com"));
        std::thread::sleep(Duration::from_millis(300));
        drop(held);
        get.join().expect("get")
    });
    done(&answer, &kept());
}

#[test]
fn an_input_without_an_end_ends_the_call_in_time() {
    let scene = Scene::vault();
    let start = Instant::now();
    let mut child = scene
        .command(&["store", "example.com", "--time-limit", "1"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let open = child.stdin.take().expect("stdin");
    let output = child.wait_with_output().expect("the program ends");
    drop(open);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(stderr.contains("--time-limit"), "{stderr}");
    assert!(start.elapsed() < SOON);
}
