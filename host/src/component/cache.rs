//! The compile cache: native code by component digest and engine settings.
//!
//! Native code runs with the host's rights, so an entry counts only when it
//! lies in a directory that nobody else can write, and is whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;

use crate::digest::Digest;
use crate::engine::Engine;

/// The first bytes of an entry; the number counts its layouts.
const MAGIC: &[u8; 16] = b"keyhost-cache-1\n";

/// Write rights of group and others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Takes the warnings of a cache that cannot be used. Work goes on without it.
pub type Warn = Box<dyn Fn(&str) + Send + Sync>;

/// A directory of compiled components.
pub struct Cache {
    directory: Option<PathBuf>,
    warn: Warn,
}

impl Cache {
    /// A cache in a directory, which is made when something is to be kept.
    pub fn new(directory: PathBuf, warn: Warn) -> Self {
        Self {
            directory: Some(directory),
            warn,
        }
    }

    /// No cache: everything is compiled anew.
    pub fn none() -> Self {
        Self {
            directory: None,
            warn: Box::new(|_| {}),
        }
    }

    /// Compiles a component, or takes what was compiled before.
    pub(crate) fn compile(
        &self,
        engine: &Engine,
        digest: Digest,
        wasm: &[u8],
    ) -> wasmtime::Result<Component> {
        let engine = engine.wasmtime();
        let Some(directory) = &self.directory else {
            return Component::new(engine, wasm);
        };
        let entry = directory.join(entry_name(engine, digest));
        match read_entry(directory, &entry) {
            Ok(Some(code)) => {
                if let Some(component) = load(engine, &code) {
                    return Ok(component);
                }
                (self.warn)(&format!(
                    "the cache entry {} is of another build; compiling anew",
                    entry.display()
                ));
            }
            Ok(None) => {}
            Err(reason) => (self.warn)(&format!(
                "the compile cache {} is not used: {reason}",
                entry.display()
            )),
        }
        let component = Component::new(engine, wasm)?;
        if let Err(reason) = write_entry(directory, &entry, &component.serialize()?) {
            (self.warn)(&format!(
                "the compile cache {} was not filled: {reason}",
                directory.display()
            ));
        }
        Ok(component)
    }
}

#[allow(unsafe_code)]
fn load(engine: &wasmtime::Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: the code was written by this program for this engine: its file
    // and directory belong to the user and nobody else can write them, its
    // digest is right, and wasmtime checks version and settings.
    unsafe { Component::deserialize(engine, code) }.ok()
}

/// The name binds an entry to the component, to wasmtime's version and to the
/// engine's settings.
fn entry_name(engine: &wasmtime::Engine, digest: Digest) -> String {
    use std::hash::{Hash, Hasher};
    let mut settings = HashInto(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    settings.write(digest.as_bytes());
    hex::encode(settings.0.finalize())
}

struct HashInto(Sha256);

impl std::hash::Hasher for HashInto {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Reads an entry; `None` where there is none. A damaged entry is an error.
fn read_entry(directory: &Path, path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(directory) {
        Ok(metadata) => check_owner("the directory", &metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path);
    let mut file: File = match file {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    check_owner("the entry", &metadata)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    unwrap_entry(bytes).map(Some)
}

fn unwrap_entry(mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let header = MAGIC.len() + 32;
    let whole = bytes.len() >= header
        && bytes.starts_with(MAGIC)
        && bytes[MAGIC.len()..header] == Sha256::digest(&bytes[header..])[..];
    if !whole {
        return Err(io::Error::other("the entry is damaged; compiling anew"));
    }
    bytes.drain(..header);
    Ok(bytes)
}

/// Writes an entry whole or not at all; the last of several writers wins.
fn write_entry(directory: &Path, path: &Path, code: &[u8]) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    check_owner("the directory", &fs::symlink_metadata(directory)?)?;
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(directory)?;
    file.write_all(MAGIC)?;
    file.write_all(&Sha256::digest(code))?;
    file.write_all(code)?;
    file.persist(path)?;
    Ok(())
}

fn check_owner(what: &str, metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("{what} belongs to another user")));
    }
    if metadata.is_symlink() || metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(io::Error::other(format!("other users can write {what}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
            let warn =
                Box::new(move |text: &str| warnings.lock().expect("lock").push(text.to_owned()));
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
}
