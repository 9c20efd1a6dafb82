//! The file: made whole, and opened only where no other user can reach it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;

use super::StorageError;
use super::failure::failed;

const WRITABLE_BY_OTHERS: u32 = 0o022;
const OPEN_TO_OTHERS: u32 = 0o077;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Opens a file that passes every check. `None`: there is no such file.
pub(super) fn open(path: &Path, access: Access) -> Result<Option<File>, StorageError> {
    let directory = parent(path);
    match fs::metadata(directory) {
        Ok(metadata) => check_directory(directory, &metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(directory, error)),
    }
    // NONBLOCK: a named pipe must not stop the process.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .write(access == Access::Write)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match file {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::IsADirectory => {
            return Err(damaged(path, "it is no regular file"));
        }
        Err(error) if is_symlink(&error) => {
            return Err(insecure(path, "it is a symbolic link"));
        }
        Err(error) => return Err(failed(path, error)),
    };
    let metadata = file.metadata().map_err(|error| failed(path, error))?;
    check_file(path, &metadata)?;
    Ok(Some(file))
}

/// Puts a new file in its place, whole or not at all, and leaves one that is
/// there already. `initialise` writes the file and syncs it.
pub(super) fn place(
    path: &Path,
    initialise: impl FnOnce(File) -> Result<(), StorageError>,
) -> Result<(), StorageError> {
    let directory = parent(path);
    let temporary = make_directory(directory)
        .and_then(|()| fs::metadata(directory))
        .map_err(|error| failed(directory, error))
        .and_then(|metadata| check_directory(directory, &metadata))
        .and_then(|()| {
            tempfile::Builder::new()
                .prefix(".keyhost-new-")
                .tempfile_in(directory)
                .map_err(|error| failed(directory, error))
        })?;
    initialise(temporary.reopen().map_err(|error| failed(path, error))?)?;
    match temporary.persist_noclobber(path) {
        Ok(_) => {}
        Err(refusal) if refusal.error.kind() == ErrorKind::AlreadyExists => {}
        Err(refusal) => return Err(failed(path, refusal.error)),
    }
    sync(directory).map_err(|error| failed(directory, error))
}

fn make_directory(directory: &Path) -> io::Result<()> {
    if directory.try_exists()? {
        return Ok(());
    }
    let above = parent(directory);
    make_directory(above)?;
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => sync(above),
    }
}

/// A new name is on the disk when its directory is.
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn check_directory(path: &Path, metadata: &Metadata) -> Result<(), StorageError> {
    check_owner(path, metadata)?;
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(insecure(path, "other users can write the directory"));
    }
    Ok(())
}

fn check_file(path: &Path, metadata: &Metadata) -> Result<(), StorageError> {
    if !metadata.is_file() {
        return Err(damaged(path, "it is no regular file"));
    }
    check_owner(path, metadata)?;
    if metadata.mode() & OPEN_TO_OTHERS != 0 {
        return Err(insecure(path, "other users can read or write the file"));
    }
    // redb would take an empty file for a new one.
    if metadata.len() == 0 {
        return Err(damaged(path, "it is empty"));
    }
    Ok(())
}

fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), StorageError> {
    if metadata.uid() != geteuid().as_raw() {
        return Err(insecure(path, "it belongs to another user"));
    }
    Ok(())
}

fn is_symlink(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

fn insecure(path: &Path, reason: &str) -> StorageError {
    StorageError::Insecure {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn damaged(path: &Path, reason: &str) -> StorageError {
    StorageError::Damaged {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}
