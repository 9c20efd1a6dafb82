//! The compile cache: native code by component digest and engine settings.
//!
//! Native code runs with the host's rights, so an entry counts only when it
//! lies in a directory that nobody else can write, and is whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;

use crate::digest::Digest;
use crate::engine::Engine;

/// What follows the native code in an entry, before the code's digest. The
/// number counts the layouts of entries and the engine's settings.
const MAGIC: &[u8; 16] = b"keyhost-cache-2\n";

/// The length of all that follows the native code, in bytes.
const FOOTER_LENGTH: usize = MAGIC.len() + 32;

/// How much of an entry is read at once, in bytes.
const READ_SIZE: usize = 32 << 10;

/// Write rights of group and others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Takes the warnings of a cache that cannot be used. Work goes on without it.
pub type Warn = Box<dyn Fn(&str) + Send + Sync>;

/// Why there is no native code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompileError {
    #[error("{0:#}")]
    Failed(wasmtime::Error),
    #[cfg(feature = "compiler")]
    #[error("there is no place for the compile cache: pass --cache-dir DIRECTORY")]
    NoCache,
    #[cfg(feature = "compiler")]
    #[error("the compile cache {directory} cannot be written: {reason}", directory = directory.display())]
    NotKept {
        directory: PathBuf,
        reason: io::Error,
    },
    #[cfg(not(feature = "compiler"))]
    #[error(
        "it is not precompiled, and this build of keyhost has no compiler: run `keyhost precompile` of a whole build of this version on a machine like this one, and copy its cache directory"
    )]
    NoCompiler,
}

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
    ) -> Result<Component, CompileError> {
        let Some(directory) = &self.directory else {
            return load(engine, &compile(wasm)?);
        };
        let entry = directory.join(entry_name(digest));
        match check_entry(directory, &entry) {
            Ok(Some(file)) => match load_entry(engine, &entry, &file) {
                Ok(component) => return Ok(component),
                Err(_) => (self.warn)(&format!(
                    "the cache entry {} is of another version or processor and is not used",
                    entry.display()
                )),
            },
            Ok(None) => {}
            Err(reason) => (self.warn)(&format!(
                "the compile cache {} is not used: {reason}",
                entry.display()
            )),
        }
        let code = compile(wasm)?;
        if let Err(reason) = write_entry(directory, &entry, &code) {
            (self.warn)(&format!(
                "the compile cache {} was not filled: {reason}",
                directory.display()
            ));
        }
        load(engine, &code)
    }

    /// Compiles a component and keeps it.
    #[cfg(feature = "compiler")]
    pub(crate) fn fill(&self, digest: Digest, wasm: &[u8]) -> Result<PathBuf, CompileError> {
        let directory = self.directory.as_ref().ok_or(CompileError::NoCache)?;
        let entry = directory.join(entry_name(digest));
        write_entry(directory, &entry, &compile(wasm)?).map_err(|reason| {
            CompileError::NotKept {
                directory: directory.clone(),
                reason,
            }
        })?;
        Ok(entry)
    }
}

#[cfg(feature = "compiler")]
fn compile(wasm: &[u8]) -> Result<Vec<u8>, CompileError> {
    Engine::precompile(wasm).map_err(CompileError::Failed)
}

#[cfg(not(feature = "compiler"))]
fn compile(_: &[u8]) -> Result<Vec<u8>, CompileError> {
    Err(CompileError::NoCompiler)
}

#[allow(unsafe_code)]
fn load(engine: &Engine, code: &[u8]) -> Result<Component, CompileError> {
    // SAFETY: the compiler made this code a moment ago.
    unsafe { Component::deserialize(engine.wasmtime(), code) }.map_err(CompileError::Failed)
}

#[allow(unsafe_code)]
fn load_entry(engine: &Engine, entry: &Path, file: &File) -> wasmtime::Result<Component> {
    // The very file that was checked, whatever stands in its place by now.
    let opened = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let entry = if opened.exists() { &opened } else { entry };
    // SAFETY: the code was written by this program: its file and directory
    // belong to the user, nobody else can write them, and its digest is right.
    // Entries are replaced and never changed, so that the mapping stays as it
    // is. wasmtime checks version, settings and processor.
    unsafe { Component::deserialize_file(engine.wasmtime(), entry) }
}

/// The name binds an entry to the component and to this version.
fn entry_name(digest: Digest) -> String {
    let mut name = Sha256::new();
    name.update(MAGIC);
    name.update(env!("CARGO_PKG_VERSION"));
    name.update([0]);
    name.update(digest.as_bytes());
    hex::encode(name.finalize())
}

/// The file of an entry, where there is one. A damaged one is an error.
fn check_entry(directory: &Path, path: &Path) -> io::Result<Option<File>> {
    match fs::symlink_metadata(directory) {
        Ok(metadata) => check_owner("the directory", &metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path);
    let file: File = match file {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    check_owner("the entry", &metadata)?;
    if !is_whole(&file, metadata.len())? {
        return Err(io::Error::other("the entry is damaged"));
    }
    Ok(Some(file))
}

fn is_whole(mut file: &File, length: u64) -> io::Result<bool> {
    let Some(code_length) = length.checked_sub(FOOTER_LENGTH as u64) else {
        return Ok(false);
    };
    let mut digest = Sha256::new();
    let mut code = file.take(code_length);
    let mut buffer = vec![0; READ_SIZE];
    loop {
        match code.read(&mut buffer)? {
            0 => break,
            length => digest.update(&buffer[..length]),
        }
    }
    let mut footer = [0; FOOTER_LENGTH];
    file.read_exact(&mut footer)?;
    let (magic, expected) = footer.split_at(MAGIC.len());
    Ok(magic == MAGIC && *expected == digest.finalize()[..])
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
    file.write_all(code)?;
    file.write_all(MAGIC)?;
    file.write_all(&Sha256::digest(code))?;
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
mod tests;
