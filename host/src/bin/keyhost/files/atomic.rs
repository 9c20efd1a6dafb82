//! A file is replaced by a whole one, or stays. The new one has no name until it
//! is whole, so that nothing is left behind where the program is killed; only
//! file systems that know no such files get a temporary name.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use keyhost::crypto::random;
use rustix::fs::{AtFlags, CWD, OFlags};

use super::{Content, shown};
use crate::stderr;

/// How temporary files are called.
const PREFIX: &str = ".keyhost-";

/// Until it is finished, a new file is its owner's alone.
const MODE: u32 = 0o600;

/// Replaces what is at a path, or makes it. `prepare` is given the
/// written file, `check` is asked last, before the file takes its place. Returns
/// the new file.
pub(super) fn replace(
    path: &Path,
    content: Content<'_>,
    prepare: impl Fn(&File) -> io::Result<()>,
    check: impl Fn() -> io::Result<()>,
) -> io::Result<File> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let fill = |file: &mut File| {
        content(file)?;
        prepare(file)?;
        file.sync_all()?;
        check()
    };
    // Before anything is written: later there may be no descriptor left.
    let opened = File::open(directory);
    let file = match unnamed(directory) {
        Some(mut file) => {
            fill(&mut file)?;
            match link(&file, directory) {
                Some(name) => {
                    rename(&name, path)?;
                    file
                }
                None => named(directory, path, fill)?,
            }
        }
        None => named(directory, path, fill)?,
    };
    // The file is in its place: what fails now does not undo that.
    if let Some(warning) = unsettled(opened, path) {
        stderr::warning(&warning);
    }
    Ok(file)
}

/// Sees that a directory's new entry is on the disk. Returns a warning if not.
fn unsettled(directory: io::Result<File>, path: &Path) -> Option<String> {
    let error = directory.and_then(|directory| directory.sync_all()).err()?;
    let name = shown(path);
    Some(format!(
        "{name} is written, but a power failure could bring the old file back: {error}"
    ))
}

/// A file without a name, where the file system knows such.
fn unnamed(directory: &Path) -> Option<File> {
    let flags = i32::try_from(OFlags::TMPFILE.bits()).ok()?;
    OpenOptions::new()
        .write(true)
        .mode(MODE)
        .custom_flags(flags)
        .open(directory)
        .ok()
}

/// Gives a file a name that was free.
fn link(file: &File, directory: &Path) -> Option<PathBuf> {
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let random = random::bytes(8).ok()?;
    let name = directory.join(format!("{PREFIX}{}", hex::encode(random)));
    rustix::fs::linkat(CWD, own, CWD, &name, AtFlags::SYMLINK_FOLLOW).ok()?;
    Some(name)
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to).inspect_err(|_| {
        let _ = std::fs::remove_file(from);
    })
}

fn named(
    directory: &Path,
    path: &Path,
    fill: impl Fn(&mut File) -> io::Result<()>,
) -> io::Result<File> {
    let mut file = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempfile_in(directory)?;
    fill(file.as_file_mut())?;
    Ok(file.persist(path)?)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io;
    use std::path::Path;

    use super::{named, replace, unnamed, unsettled};

    fn listing(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("listing");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("entry").file_name();
        entries
            .map(|entry| name(entry).into_string().expect("name"))
            .collect()
    }

    fn fine(_: &File) -> io::Result<()> {
        Ok(())
    }

    #[test]
    fn makes_and_replaces_a_file() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("a");
        for text in ["first", "second"] {
            replace(&path, &|writer| write!(writer, "{text}"), fine, || Ok(())).expect("replaced");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
            assert_eq!(listing(directory.path()), ["a"]);
        }
        named(directory.path(), &path, |file| {
            io::Write::write_all(file, b"third")
        })
        .expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"third");
        assert_eq!(listing(directory.path()), ["a"]);
    }

    #[test]
    fn whatever_fails_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("a");
        fs::write(&path, "old").expect("write");
        let failure = || Err(io::Error::other("no"));
        for failed in [
            replace(&path, &|_| failure(), fine, || Ok(())),
            replace(&path, &|_| Ok(()), |_| failure(), || Ok(())),
            replace(&path, &|_| Ok(()), fine, failure),
            named(directory.path(), &path, |_| failure()),
        ] {
            assert!(failed.is_err());
            assert_eq!(fs::read(&path).expect("read"), b"old");
            assert_eq!(listing(directory.path()), ["a"]);
        }
        let nowhere = directory.path().join("nowhere/a");
        assert!(replace(&nowhere, &|_| Ok(()), fine, || Ok(())).is_err());
    }

    /// Not every file system can do this, and the file is in its place already.
    #[test]
    fn a_directory_that_cannot_be_synced_is_warned_of() {
        let path = Path::new("a\n");
        assert_eq!(unsettled(File::open("."), path), None);
        for directory in [
            File::open("/proc"),
            Err(io::ErrorKind::PermissionDenied.into()),
        ] {
            let warning = unsettled(directory, path).expect("warning");
            assert!(warning.starts_with("a\\u{a} is written, but"), "{warning}");
        }
    }

    #[test]
    fn a_file_without_a_name_is_in_no_listing() {
        let directory = tempfile::tempdir().expect("directory");
        let file = unnamed(directory.path());
        assert_eq!(listing(directory.path()), [""; 0]);
        drop(file);
    }
}
