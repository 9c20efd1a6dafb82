//! The socket, in a directory that only this user may enter.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::net::UnixListener;

/// `sun_path` of unix(7) holds 108 bytes, one of them the final zero.
const LONGEST_PATH: usize = 107;

/// A socket that is removed with its directory when this is dropped.
pub(crate) struct Socket {
    directory: TempDir,
}

impl Socket {
    /// # Errors
    ///
    /// When no directory can be made, or no socket in it.
    pub(crate) fn bind() -> io::Result<(Self, UnixListener)> {
        let mut directory = private_directory(&std::env::temp_dir())?;
        if path_in(&directory).as_os_str().len() > LONGEST_PATH {
            directory = private_directory(Path::new("/tmp"))?;
        }
        let listener = UnixListener::bind(path_in(&directory))?;
        Ok((Self { directory }, listener))
    }

    pub(crate) fn path(&self) -> PathBuf {
        path_in(&self.directory)
    }
}

fn private_directory(parent: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix("tf-plugin-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
}

fn path_in(directory: &TempDir) -> PathBuf {
    directory.path().join("socket")
}
