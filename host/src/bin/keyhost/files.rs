//! Reading and writing files and standard streams, whole or not at all.

mod atomic;
mod original;
mod whole;

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;
use zeroize::Zeroizing;

pub(crate) use original::Original;

/// Stands for a standard stream where a file is named.
const STANDARD_STREAM: &str = "-";

/// What is written, piece by piece.
pub(crate) type Content<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard_stream(path: &Path) -> bool {
    path == Path::new(STANDARD_STREAM)
}

/// What a file is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_standard_stream(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let name = name(path);
    let read = if is_standard_stream(path) {
        whole::read(io::stdin().lock(), 0)
    } else {
        File::open(path).and_then(|file| {
            let size = file.metadata()?.len();
            whole::read(file, size)
        })
    };
    read.with_context(|| format!("{name} cannot be read"))
}

/// Who may read a file that is written.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Its owner alone, whatever was there before.
    OwnerOnly,
    /// As before, or for a new file these.
    Kept(u32),
}

/// Replaces a file in one step. Standard output (`-`) and what is no regular
/// file, such as a device or a pipe, is written to and left in its place.
pub(crate) fn replace(path: &Path, bytes: &[u8], access: Access) -> anyhow::Result<()> {
    replace_with(path, &|writer| writer.write_all(bytes), access)
}

/// As [`replace`], with content that is written piece by piece.
pub(crate) fn replace_with(
    path: &Path,
    content: Content<'_>,
    access: Access,
) -> anyhow::Result<()> {
    if is_standard_stream(path) {
        return print_with(content);
    }
    write(path, content, access).with_context(|| format!("{} cannot be written", path.display()))
}

fn write(path: &Path, content: Content<'_>, access: Access) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if existing
        .as_ref()
        .is_some_and(|metadata| !metadata.is_file())
    {
        return content(&mut OpenOptions::new().write(true).open(path)?);
    }
    // A link stays a link; where it leads is replaced.
    let path = match &existing {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let permissions = match (access, existing) {
        (Access::OwnerOnly, _) => Permissions::from_mode(0o600),
        (Access::Kept(_), Some(metadata)) => metadata.permissions(),
        (Access::Kept(mode), None) => Permissions::from_mode(mode),
    };
    // The mask of the process does not count for what was there before.
    let keep_mode = |file: &File| file.set_permissions(permissions.clone());
    atomic::replace(&path, content, keep_mode, || Ok(()))
}

/// Writes to standard output. A reader that closed it has enough.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    print_with(&|writer| writer.write_all(bytes))
}

/// As [`print`], with content that is written piece by piece.
pub(crate) fn print_with(content: Content<'_>) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match content(&mut output).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}
