//! Files that are refused, and stay as they are.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{chown, symlink};

use redb::{Database, TableDefinition};
use rustix::process::geteuid;

use super::{Place, set_mode};
use crate::storage::{EmbeddedStorage, Storage, StorageError};

fn errors(storage: &EmbeddedStorage) -> [StorageError; 6] {
    [
        storage.get("b", "k").expect_err("get"),
        storage.set("b", "k", b"v").expect_err("set"),
        storage
            .set_if_absent("b", "k", b"v")
            .expect_err("set_if_absent"),
        storage.delete("b", "k").expect_err("delete"),
        storage.exists("b", "k").expect_err("exists"),
        storage.keys("b").expect_err("keys"),
    ]
}

fn assert_insecure(storage: &EmbeddedStorage, text: &str) {
    for error in errors(storage) {
        assert!(matches!(error, StorageError::Insecure { .. }), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

fn assert_damaged(storage: &EmbeddedStorage, text: &str) {
    for error in errors(storage) {
        assert!(matches!(error, StorageError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn a_file_that_others_can_read_or_write() {
    let place = Place::new();
    let storage = place.filled();
    for mode in [0o640, 0o604, 0o620, 0o602, 0o666] {
        set_mode(&place.path(), mode);
        assert_insecure(&storage, "other users can read or write the file");
    }
    set_mode(&place.path(), 0o600);
    assert!(storage.exists("b", "k").expect("it reads"));
}

#[test]
fn a_directory_that_others_can_write() {
    for filled in [false, true] {
        let place = Place::new();
        let storage = if filled {
            place.filled()
        } else {
            place.storage()
        };
        for mode in [0o720, 0o702, 0o1777] {
            set_mode(place.directory.path(), mode);
            assert_insecure(&storage, "other users can write the directory");
        }
        set_mode(place.directory.path(), 0o755);
        storage.set("b", "k", b"v").expect("others may look in");
    }
}

#[test]
fn a_file_or_directory_of_another_user() {
    if !geteuid().is_root() {
        eprintln!("SKIPPED: only root can give files away");
        return;
    }
    let place = Place::new();
    let storage = place.filled();
    chown(place.path(), Some(12345), None).expect("root gives the file away");
    assert_insecure(&storage, "it belongs to another user");
    chown(place.path(), Some(0), None).expect("root takes the file back");
    chown(place.directory.path(), Some(12345), None).expect("root gives the directory away");
    assert_insecure(&storage, "it belongs to another user");
}

#[test]
fn a_symbolic_link() {
    let target = Place::new();
    target.filled();
    let place = Place::new();
    symlink(target.path(), place.path()).expect("the link is made");
    assert_insecure(&place.storage(), "it is a symbolic link");
    fs::remove_file(target.path()).expect("the file is removed");
    assert_insecure(&place.storage(), "it is a symbolic link");
    assert!(!target.path().exists());
}

#[test]
fn no_regular_file() {
    let place = Place::new();
    fs::create_dir(place.path()).expect("the directory is made");
    assert_damaged(&place.storage(), "it is no regular file");
}

#[test]
fn no_database_is_left_as_it_is() {
    for (bytes, text) in [
        (&b""[..], "it is empty"),
        (b"text", "it is no redb database"),
        (&[0; 100_000], "it is no redb database"),
        (b"redb\x1a\x0a\xa9\x0d\x0a and no more", "is damaged: "),
    ] {
        let place = Place::new();
        fs::write(place.path(), bytes).expect("the file is written");
        set_mode(&place.path(), 0o600);
        assert_damaged(&place.storage(), text);
        assert_eq!(fs::read(place.path()).expect("the file is there"), bytes);
    }
}

#[test]
fn a_file_whose_end_is_missing() {
    let place = Place::new();
    let storage = place.filled();
    let length = fs::metadata(place.path()).expect("it is there").len();
    for part in [1, 2, 3] {
        let file = OpenOptions::new().write(true).open(place.path());
        let file = file.expect("the file opens");
        file.set_len(length * (4 - part) / 4).expect("it is cut");
        let before = fs::read(place.path()).expect("the file is there");
        assert_damaged(&storage, "is damaged: ");
        assert!(fs::read(place.path()).expect("the file is there") == before);
    }
}

#[test]
fn the_database_of_another_program() {
    const OTHER: TableDefinition<'_, u64, u64> = TableDefinition::new("other");
    let place = Place::new();
    let database = Database::create(place.path()).expect("the file is made");
    let write = database.begin_write().expect("a write begins");
    write.open_table(OTHER).expect("the table is made");
    write.commit().expect("the write ends");
    drop(database);
    set_mode(&place.path(), 0o600);
    assert_damaged(&place.storage(), "it is the database of another program");
}

/// Writing checks the whole file. Reading does not: a change inside of a value
/// is not detected, and redb panics over others, which ends in an error.
#[test]
fn single_changed_bytes_end_in_values_or_errors() {
    let mut found = [0; 2];
    for step in 0..300_u64 {
        let place = Place::new();
        let storage = place.filled();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(place.path())
            .expect("the file opens");
        let length = file.metadata().expect("it is there").len();
        // Half of them in the header.
        let at = if step % 2 == 0 {
            step * 2
        } else {
            step * 7919 % length
        };
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).expect("it seeks");
        file.read_exact(&mut byte).expect("it reads");
        file.seek(SeekFrom::Start(at)).expect("it seeks");
        file.write_all(&[byte[0] ^ 0xff]).expect("it writes");
        drop(file);
        let get = storage.get("b", "k").map(|_| ());
        let before = fs::read(place.path()).expect("the file is there");
        let set = storage.set("b", "l", b"v");
        if set.is_ok() {
            // What is accepted is whole.
            let kept = storage.get("b", "k").expect("it reads");
            assert_eq!(kept.as_deref(), Some(&b"value"[..]), "byte {at}");
        } else {
            let after = fs::read(place.path()).expect("the file is there");
            assert!(before == after, "byte {at}");
        }
        for result in [get, set, storage.keys("b").map(|_| ())] {
            match result {
                Ok(()) => found[0] += 1,
                Err(StorageError::Damaged { .. }) => found[1] += 1,
                Err(other) => panic!("byte {at}: {other:?}"),
            }
        }
    }
    eprintln!("{} answers and {} errors", found[0], found[1]);
    assert!(found.iter().all(|&count| count > 0));
}
