//! Reading and writing files and standard streams, whole or not at all.

mod atomic;
mod original;
mod whole;

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use anyhow::Context;
use keyhost::guest_text;
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
        shown(path)
    }
}

/// A path, fit to be shown on one line: file names may hold anything.
pub(crate) fn shown(path: &Path) -> String {
    guest_text::fit(&path.display().to_string())
}

/// Whether both paths lead to one regular file.
pub(crate) fn are_one(path: &Path, other: &Path) -> bool {
    let identity = |path: &Path| {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    !is_standard_stream(path)
        && !is_standard_stream(other)
        && identity(path).is_some_and(|known| identity(other) == Some(known))
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

/// Who may read a file that is written. The owner of an existing file stays.
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
    write(path, content, access).with_context(|| format!("{} cannot be written", shown(path)))
}

fn write(path: &Path, content: Content<'_>, access: Access) -> io::Result<()> {
    match fs::metadata(path) {
        // A link stays a link; where it leads is replaced.
        Ok(metadata) if metadata.is_file() => {
            return Original::open(path)?.replace(content, access);
        }
        Ok(_) => return content(&mut OpenOptions::new().write(true).open(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if path.is_symlink() {
        return Err(io::Error::other("it is a link that leads nowhere"));
    }
    let mode = match access {
        Access::OwnerOnly => 0o600,
        Access::Kept(mode) => mode,
    };
    // The mask of the process does not count.
    let set_mode = |file: &File| file.set_permissions(Permissions::from_mode(mode));
    atomic::replace(path, content, set_mode, || Ok(())).map(drop)
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
