//! Processes side by side, and killed ones. The test program runs itself.

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::Place;
use crate::storage::{EmbeddedStorage, Storage};

const PATH: &str = "KEYHOST_TEST_STORAGE";
const FIRST: &str = "KEYHOST_TEST_FIRST";
const COUNT: &str = "KEYHOST_TEST_COUNT";
const KILLS: u64 = 60;
/// In milliseconds.
const LONGEST_LIFE: u64 = 50;

/// No test of its own: the process that the others start.
#[test]
fn writer() {
    let Some(path) = env::var_os(PATH) else {
        return;
    };
    let number = |name| -> u64 {
        let text = env::var(name).expect("the variable is set");
        text.parse().expect("it is a number")
    };
    let storage = EmbeddedStorage::new(path.into());
    let (first, count) = (number(FIRST), number(COUNT));
    for record in first..first + count {
        storage
            .set("records", &record.to_string(), &value(record))
            .expect("the storage writes");
        let mut output = std::io::stdout().lock();
        writeln!(output, "\nwritten {record}").expect("the test listens");
        output.flush().expect("the test listens");
    }
}

/// Some fill several pages.
fn value(record: u64) -> Vec<u8> {
    let length = if record.is_multiple_of(5) { 20_000 } else { 40 };
    record.to_string().into_bytes().repeat(length)
}

fn start(path: &Path, first: u64, count: u64) -> Child {
    let program = env::current_exe().expect("the test has a path");
    let name = "storage::embedded::tests::kill::writer";
    Command::new(program)
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(PATH, path)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the test program starts")
}

/// The records that it says it has written, the next one first. They end with
/// the process; a line that a kill cut off does not count.
fn written(child: &mut Child) -> impl Iterator<Item = u64> + use<> {
    let stdout = child.stdout.take().expect("the output is a pipe");
    let mut stdout = BufReader::new(stdout);
    iter::from_fn(move || {
        loop {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("it is text");
            let line = line.strip_suffix('\n')?;
            if let Some(record) = line.strip_prefix("written ") {
                return Some(record.parse().expect("it is a number"));
            }
        }
    })
}

#[test]
fn two_processes_at_once_lose_nothing() {
    let place = Place::new();
    let children = [0, 1000].map(|first| start(&place.path(), first, 100));
    for mut child in children {
        assert_eq!(written(&mut child).count(), 100);
        child.wait().expect("the process ends");
    }
    let storage = place.storage();
    assert_eq!(storage.keys("records").expect("it reads").len(), 200);
    for record in (0..100).chain(1000..1100) {
        let found = storage.get("records", &record.to_string());
        assert!(found.expect("it reads") == Some(value(record)));
    }
}

#[test]
fn a_kill_at_any_time_loses_nothing_acknowledged() {
    let mut acknowledged = 0;
    let mut place = Place::new();
    let mut all = Vec::new();
    for round in 0..KILLS {
        // So that the making of the file is hit, too.
        if round % 5 == 0 {
            acknowledged += all.len();
            place = Place::new();
            all.clear();
        }
        let mut child = start(&place.path(), round * 1_000_000, 1_000_000);
        let mut records = written(&mut child);
        // Some are killed before the first record, others after it.
        if round % 2 == 0 {
            all.push(records.next().expect("a record is written"));
        }
        let life = RandomState::new().hash_one(round) % (LONGEST_LIFE * 1000);
        thread::sleep(Duration::from_micros(life));
        child.kill().expect("the process is killed");
        child.wait().expect("the process ends");
        all.extend(records);

        let storage = place.storage();
        let known = storage.keys("records").expect("the storage opens");
        for record in &all {
            let name = record.to_string();
            assert!(known.contains(&name), "record {name} is lost");
            let found = storage.get("records", &name).expect("it reads");
            assert!(found == Some(value(*record)), "record {name} is wrong");
        }
        storage.set("after", "kill", b"v").expect("it writes");
    }
    acknowledged += all.len();
    eprintln!("{acknowledged} records before {KILLS} kills");
}
