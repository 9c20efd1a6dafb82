mod checks;
mod kill;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use redb::Database;
use tempfile::TempDir;

use super::EmbeddedStorage;
use crate::storage::{Storage, StorageError, suite};

struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory is made");
        Self { directory }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("storage.redb")
    }

    fn storage(&self) -> EmbeddedStorage {
        EmbeddedStorage::new(self.path())
    }

    /// A storage with one key.
    fn filled(&self) -> EmbeddedStorage {
        let storage = self.storage();
        storage.set("b", "k", b"value").expect("the storage writes");
        storage
    }
}

fn mode(path: &Path) -> u32 {
    let metadata = fs::metadata(path).expect("the file is there");
    metadata.permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the directory is read");
    entries
        .map(|entry| {
            let name = entry.expect("the directory is read").file_name();
            name.into_string().expect("the name is text")
        })
        .collect()
}

#[test]
fn behaves_as_a_storage() {
    suite::run(&Place::new().storage());
}

#[test]
fn the_first_write_makes_file_and_directories_for_the_user_alone() {
    let place = Place::new();
    let above = place.directory.path().join("a");
    let path = above.join("b/storage.redb");
    let storage = EmbeddedStorage::new(path.clone());
    storage.set("b", "k", b"v").expect("the storage writes");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&above.join("b")), 0o700);
    assert_eq!(mode(&above), 0o700);
    assert_eq!(names(&above.join("b")), ["storage.redb"]);
}

#[test]
fn reading_and_deleting_make_no_file() {
    let place = Place::new();
    let path = place.directory.path().join("sub/storage.redb");
    let storage = EmbeddedStorage::new(path);
    assert_eq!(storage.get("b", "k").expect("it reads"), None);
    assert!(!storage.exists("b", "k").expect("it reads"));
    assert_eq!(storage.keys("b").expect("it reads"), [""; 0]);
    storage.delete("b", "k").expect("it deletes nothing");
    assert_eq!(names(place.directory.path()), [""; 0]);
}

#[test]
fn a_second_storage_on_the_same_file() {
    let place = Place::new();
    place.filled();
    let again = place.storage();
    assert_eq!(
        again.get("b", "k").expect("it reads").as_deref(),
        Some(&b"value"[..])
    );
}

#[test]
fn storages_made_at_once_share_one_file() {
    for _ in 0..10 {
        let place = Place::new();
        thread::scope(|scope| {
            for thread in 0..6 {
                let storage = place.storage();
                scope.spawn(move || {
                    storage
                        .set("b", &thread.to_string(), b"v")
                        .expect("the storage writes");
                });
            }
        });
        assert_eq!(place.storage().keys("b").expect("it reads").len(), 6);
        assert_eq!(names(place.directory.path()), ["storage.redb"]);
    }
}

#[test]
fn a_file_that_another_process_holds_is_waited_for() {
    let place = Place::new();
    let storage = place.filled().with_wait(Duration::from_millis(200));
    let holder = Database::open(place.path()).expect("the file is no longer held");
    let start = Instant::now();
    for error in [
        storage.get("b", "k").expect_err("it is held"),
        storage.set("b", "k", b"").expect_err("it is held"),
    ] {
        assert!(matches!(error, StorageError::Busy { .. }), "{error:?}");
        assert!(error.to_string().contains("for more than 0.2 s"), "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(2));
    thread::scope(|scope| {
        let patient = place.storage();
        let reader = scope.spawn(move || patient.get("b", "k"));
        thread::sleep(Duration::from_millis(50));
        drop(holder);
        let value = reader.join().expect("the thread ends").expect("it reads");
        assert_eq!(value.as_deref(), Some(&b"value"[..]));
    });
}

#[test]
fn what_killed_processes_leave_behind_does_no_harm() {
    let place = Place::new();
    let leftover = place.directory.path().join(".keyhost-new-abcdef");
    fs::write(&leftover, b"half a data").expect("the file is written");
    let storage = place.filled();
    assert!(storage.exists("b", "k").expect("it reads"));
    assert_eq!(
        fs::read(&leftover).expect("the file is there"),
        b"half a data"
    );
}

#[test]
fn a_file_that_was_not_closed_is_repaired_by_a_reader() {
    let place = Place::new();
    place.filled();
    let open = Database::open(place.path()).expect("the file is no longer held");
    let write = open.begin_write().expect("a write begins");
    write.commit().expect("the write ends");
    // The bytes that a kill at this moment would leave.
    let copy = Place::new();
    let bytes = fs::read(place.path()).expect("the file is there");
    fs::write(copy.path(), bytes).expect("the file is written");
    set_mode(&copy.path(), 0o600);
    drop(open);
    let value = copy.storage().get("b", "k").expect("it reads");
    assert_eq!(value.as_deref(), Some(&b"value"[..]));
}
