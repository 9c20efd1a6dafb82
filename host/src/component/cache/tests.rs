use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use super::{Cache, Digest};
use crate::engine::Engine;

const EMPTY_COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

struct Fixture {
    directory: tempfile::TempDir,
    engine: Engine,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("directory"),
            engine: Engine::new().expect("engine"),
            warnings: Arc::default(),
        }
    }

    fn compile(&self) {
        let warnings = Arc::clone(&self.warnings);
        let warn = Box::new(move |text: &str| warnings.lock().expect("lock").push(text.to_owned()));
        Cache::new(self.directory.path().join("cache"), warn)
            .compile(&self.engine, Digest::of(EMPTY_COMPONENT), EMPTY_COMPONENT)
            .expect("compiles whatever the cache is like");
    }

    fn entry(&self) -> std::path::PathBuf {
        let mut entries = fs::read_dir(self.directory.path().join("cache")).expect("cache");
        entries.next().expect("entry").expect("entry").path()
    }

    fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().expect("lock"))
    }
}

#[test]
fn a_damaged_entry_is_compiled_anew_and_replaced() {
    let fixture = Fixture::new();
    fixture.compile();
    let good = fs::read(fixture.entry()).expect("entry");
    for damage in [0, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[damage] ^= 1;
        fs::write(fixture.entry(), &bytes).expect("write");
        fixture.compile();
        assert!(fixture.warnings()[0].contains("damaged"));
        assert!(fs::read(fixture.entry()).expect("entry") == good);
    }
    fs::write(fixture.entry(), &good[..good.len() / 2]).expect("write");
    fixture.compile();
    assert!(fixture.warnings()[0].contains("damaged"));
    fixture.compile();
    assert_eq!(fixture.warnings(), [""; 0]);
}

#[test]
fn a_directory_that_others_can_write_is_not_used() {
    let fixture = Fixture::new();
    fixture.compile();
    let cache = fixture.directory.path().join("cache");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).expect("chmod");
    fixture.compile();
    assert!(fixture.warnings()[0].contains("other users can write"));
}

#[test]
fn a_link_in_an_entrys_place_is_not_followed() {
    let fixture = Fixture::new();
    fixture.compile();
    let (entry, elsewhere) = (fixture.entry(), fixture.directory.path().join("elsewhere"));
    fs::rename(&entry, &elsewhere).expect("rename");
    std::os::unix::fs::symlink(&elsewhere, &entry).expect("link");
    fixture.compile();
    assert!(!fixture.warnings().is_empty());
    assert!(
        fs::symlink_metadata(fixture.entry())
            .expect("entry")
            .is_file()
    );
}

#[test]
fn a_directory_that_cannot_be_made_is_a_warning() {
    let fixture = Fixture::new();
    fs::write(fixture.directory.path().join("cache"), "a file").expect("write");
    fixture.compile();
    assert!(!fixture.warnings().is_empty());
}
