//! Processes that are killed as they store: what was acknowledged stays.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{Scene, done, object};

/// Each begins with no database, so that its making is hit, too.
const ROUNDS: u64 = 5;
const HOSTS: u64 = 4;
const STORES: u64 = 25;

/// How long a process lives at most: it is fitted, so that about as many end
/// by themselves as are killed, and the kills hit every part of a call.
struct Life(f64);

impl Life {
    fn draw(&self, seed: u64) -> Duration {
        let part = RandomState::new().hash_one(seed) % 1000;
        Duration::from_secs_f64(self.0 * part as f64 / 1000.0)
    }

    fn fit(&mut self, ended: bool) {
        self.0 *= if ended { 1.0 / 1.2 } else { 1.2 };
    }
}

/// Stores an object with a process that is killed after a while. True: it had
/// said that it is stored.
fn store(scene: &Scene, host: &str, object: &str, life: Duration) -> bool {
    let mut child = scene
        .command(&["store", host])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(object.as_bytes()).expect("a pipe holds it");
    drop(stdin);
    thread::sleep(life);
    child.kill().expect("kill");
    let output = child.wait_with_output().expect("the process ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => true,
        None => false,
        Some(code) => panic!("{host}: exit code {code}: {stderr}"),
    }
}

/// Stores for one host; what `get` may answer afterwards, and how many stores
/// were acknowledged.
fn writer(scene: &Scene, host: &str, mut life: Life) -> (Vec<String>, u64) {
    let mut possible = vec!["{}".to_owned()];
    let mut acknowledged = 0;
    for number in 0..STORES {
        // Some fill several pages of the database.
        let length = if number % 5 == 0 { 2_000 } else { 2 };
        let object = object(&format!("{host}-{number}-").repeat(length));
        let ended = store(scene, host, &object, life.draw(number));
        life.fit(ended);
        if ended {
            possible.clear();
            acknowledged += 1;
        }
        possible.push(object);
    }
    (possible, acknowledged)
}

#[test]
fn a_kill_at_any_time_loses_nothing_acknowledged() {
    // Twice what a process takes beside the others.
    let start = Instant::now();
    Scene::vault().keep("example.com");
    let life = 2.0 * start.elapsed().as_secs_f64();
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let scene = Scene::vault();
        let hosts: Vec<_> = (0..HOSTS)
            .map(|host| format!("h{host}.r{round}.example"))
            .collect();
        let ends: Vec<_> = thread::scope(|scope| {
            let writers: Vec<_> = hosts
                .iter()
                .map(|host| scope.spawn(|| writer(&scene, host, Life(life))))
                .collect();
            let ends = writers.into_iter();
            ends.map(|end| end.join().expect("writer")).collect()
        });
        for (host, (possible, ended)) in hosts.iter().zip(ends) {
            acknowledged += ended;
            let answer = scene.get(host);
            assert_eq!(
                (answer.code, answer.stderr.as_str()),
                (Some(0), ""),
                "{host}"
            );
            let answer = answer.stdout.trim_end();
            assert!(
                possible.iter().any(|object| object == answer),
                "{host} has lost what was acknowledged; it has {:.40}",
                answer
            );
        }
        scene.keep("after.example");
        done(&scene.get("after.example"), &super::kept());
    }
    let all = ROUNDS * HOSTS * STORES;
    eprintln!("{acknowledged} of {all} stores were acknowledged");
    // Neither was rare: both are tested.
    assert!((all / 20..all * 19 / 20).contains(&acknowledged));
}
