//! Reading the files that a configuration is made of.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::source::{ConfigError, Source};

/// The largest configuration file, in bytes.
const MAXIMUM_FILE_SIZE: u64 = 16 << 20;

/// What can stand before a text in UTF-8, and says nothing.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a file's text, bounded.
pub(super) fn read(path: &Path) -> Result<Source, ConfigError> {
    let name = path.display().to_string();
    let failed =
        |error: std::io::Error| ConfigError::new(format!("{name} cannot be read: {error}"));
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAXIMUM_FILE_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAXIMUM_FILE_SIZE {
        return Err(ConfigError::new(format!(
            "{name} is larger than {MAXIMUM_FILE_SIZE} bytes"
        )));
    }
    let mut text =
        String::from_utf8(bytes).map_err(|_| ConfigError::new(format!("{name} is not UTF-8")))?;
    // Some editors mark the beginning of a file.
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(Source::new(name, text))
}
