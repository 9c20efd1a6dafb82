//! Reading and writing files and standard streams, whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;
use zeroize::Zeroizing;

/// Stands for a standard stream where a file is named.
const STANDARD_STREAM: &str = "-";

/// The most that is read of a file, in bytes. Large states are smaller.
const MAXIMUM_SIZE: u64 = 1 << 30;

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let (name, source): (_, Box<dyn Read>) = if path == Path::new(STANDARD_STREAM) {
        ("standard input".to_owned(), Box::new(io::stdin().lock()))
    } else {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("{name} cannot be read"))?;
        (name, Box::new(file))
    };
    let mut bytes = Zeroizing::new(Vec::new());
    source
        .take(MAXIMUM_SIZE + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name} cannot be read"))?;
    anyhow::ensure!(
        bytes.len() as u64 <= MAXIMUM_SIZE,
        "{name} is larger than {MAXIMUM_SIZE} bytes"
    );
    Ok(bytes)
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
    if path == Path::new(STANDARD_STREAM) {
        return print(bytes);
    }
    write(path, bytes, access).with_context(|| format!("{} cannot be written", path.display()))
}

fn write(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if existing
        .as_ref()
        .is_some_and(|metadata| !metadata.is_file())
    {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
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
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .prefix(".keyhost-")
        .permissions(permissions.clone())
        .tempfile_in(directory.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    // The mask of the process does not count for what was there before.
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// Writes to standard output. A reader that closed it has enough.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}
