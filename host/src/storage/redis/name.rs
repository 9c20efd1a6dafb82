//! The names of the keys on the server: `keyhost:BUCKET:KEY`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

/// Also `:`, which separates, and all that has a meaning in patterns.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

pub(super) fn of(bucket: &str, key: &str) -> String {
    format!("{}{}", prefix(bucket), utf8_percent_encode(key, ENCODED))
}

/// Matches the names of one bucket.
pub(super) fn pattern(bucket: &str) -> String {
    format!("{}*", prefix(bucket))
}

/// The key of a name. `None`: no name that [`of`] makes for this bucket.
pub(super) fn key(bucket: &str, name: &[u8]) -> Option<String> {
    let encoded = name.strip_prefix(prefix(bucket).as_bytes())?;
    let key = percent_decode(encoded).decode_utf8().ok()?.into_owned();
    (of(bucket, &key).as_bytes() == name).then_some(key)
}

fn prefix(bucket: &str) -> String {
    format!("keyhost:{}:", utf8_percent_encode(bucket, ENCODED))
}
