//! Where things of the user's lie when nobody says otherwise.

use std::env;
use std::path::PathBuf;

/// The compile cache: `$XDG_CACHE_HOME/keyhost` or `~/.cache/keyhost`.
pub fn cache() -> Option<PathBuf> {
    let home = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(home?.join("keyhost"))
}

/// The storage: `$XDG_DATA_HOME/keyhost/storage.redb` or
/// `~/.local/share/keyhost/storage.redb`.
pub fn storage() -> Option<PathBuf> {
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    Some(data?.join("keyhost/storage.redb"))
}

/// A directory that a variable of the environment names.
fn absolute(variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env::var_os(variable)?);
    path.is_absolute().then_some(path)
}
