//! A copy of all messages in a file, for callers that hide a program's
//! standard error.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use rustix::fs::OFlags;

/// The variable that names the file.
const VARIABLE: &str = "KEYHOST_LOG_FILE";

/// The largest file, in bytes. A full one is kept as FILE.old, and the one
/// before is gone.
const MAXIMUM_SIZE: u64 = 1 << 20;

/// Appends a message. Where that fails there is nobody to tell.
pub(crate) fn append(text: &str) {
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let _ = write(&PathBuf::from(path), text);
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let line = format!("{} {} {text}\n", time(), process::id());
    let mut file = open(path)?;
    if file.metadata()?.len() + line.len() as u64 > MAXIMUM_SIZE {
        // Another process may have put a new one in its place meanwhile.
        let (full, there) = (file.metadata()?, fs::symlink_metadata(path)?);
        if (full.dev(), full.ino()) == (there.dev(), there.ino()) {
            let mut old = path.as_os_str().to_owned();
            old.push(".old");
            fs::rename(path, old)?;
        }
        file = open(path)?;
    }
    file.write_all(line.as_bytes())
}

fn open(path: &Path) -> io::Result<fs::File> {
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("not a file of ours"));
    }
    if metadata.mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// As in RFC 3339, in UTC.
fn time() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(String::new, |time| format!("{time:?}"))
}
