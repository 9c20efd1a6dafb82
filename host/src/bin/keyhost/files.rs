//! Reading and writing files and standard streams, whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;
use zeroize::Zeroizing;

/// Stands for a standard stream where a file is named.
const STANDARD_STREAM: &str = "-";

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let bytes = if path == Path::new(STANDARD_STREAM) {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .context("standard input cannot be read")?;
        bytes
    } else {
        fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?
    };
    Ok(Zeroizing::new(bytes))
}

/// Replaces a file in one step. A file that is already there keeps its
/// permissions; a new one gets those given.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let write = || -> io::Result<()> {
        let permissions = match fs::metadata(&path) {
            Ok(metadata) => metadata.permissions(),
            Err(_) => Permissions::from_mode(mode),
        };
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new()
            .prefix(".keyhost-")
            .permissions(permissions)
            .tempfile_in(directory)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
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
