//! Metadata on its way to and from components: hostile until checked.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::limits::{Limit, LimitExceeded, Limits};

/// Stored metadata by its key (address or alias), each a JSON text, kept byte
/// for byte.
pub type StoredMetadata = BTreeMap<String, String>;

/// What keys are wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// New data alone: there is nothing to decrypt yet.
    Encrypt,
    /// Existing data, with the metadata stored beside it, and new data.
    Decrypt(StoredMetadata),
    /// Existing data, with the metadata stored beside it. The key for new data is
    /// derived only when it is used all the same.
    DecryptAlone(StoredMetadata),
}

impl Purpose {
    /// The metadata of existing data.
    pub fn stored(&self) -> Option<&StoredMetadata> {
        match self {
            Self::Encrypt => None,
            Self::Decrypt(stored) | Self::DecryptAlone(stored) => Some(stored),
        }
    }
}

/// Metadata cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// There is none where decryption needs it.
    #[error(
        "to decrypt, its metadata is needed under \"{key}\", but {}",
        have(found)
    )]
    Missing {
        /// The key that was looked for.
        key: String,
        /// The keys that there are.
        found: Vec<String>,
    },
    /// It is not a JSON object.
    #[error("the metadata {key} is {reason}")]
    Malformed {
        /// The key that it stands under.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It is too large or too deep.
    #[error("the metadata {key}: {exceeded}")]
    Limit {
        /// The key that it stands under.
        key: String,
        /// The limit.
        exceeded: LimitExceeded,
    },
}

/// The most metadata keys that an error names.
const MAXIMUM_NAMED: usize = 5;

fn have(found: &[String]) -> String {
    if found.is_empty() {
        return "no metadata is stored".to_owned();
    }
    format!(
        "metadata is stored under {} only; after a rename, set encrypted_metadata_alias",
        listed(found)
    )
}

/// Metadata keys, fit to be shown; of many the first.
pub(crate) fn listed(keys: &[String]) -> String {
    let more = match keys.len().saturating_sub(MAXIMUM_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = keys.iter().take(MAXIMUM_NAMED);
    let named: Vec<_> = named.map(|key| crate::guest_text::fit(key)).collect();
    named.join(", ") + &more
}

/// Checks the shape that every provider's metadata has: a JSON object within
/// the limits.
///
/// # Errors
/// [`MetadataError`].
pub fn check(key: &str, text: &str, limits: &Limits) -> Result<(), MetadataError> {
    let within = |limit, value| {
        limits
            .check(limit, value)
            .map_err(|exceeded| MetadataError::Limit {
                key: key.to_owned(),
                exceeded,
            })
    };
    let malformed = |reason: String| MetadataError::Malformed {
        key: key.to_owned(),
        reason,
    };
    within(Limit::Metadata, text.len() as u64)?;
    let value: Value = serde_json::from_str(text).map_err(|error| {
        malformed(format!(
            "not valid JSON at line {} column {}",
            error.line(),
            error.column()
        ))
    })?;
    if !value.is_object() {
        return Err(malformed("not a JSON object".to_owned()));
    }
    within(Limit::MetadataDepth, depth(&value))
}

/// The levels of nesting; `{}` has one. The parser bounds the recursion.
fn depth(value: &Value) -> u64 {
    let below = match value {
        Value::Array(elements) => elements.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => return 0,
    };
    below.unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::{Limit, Limits, MetadataError, check};

    fn error(text: &str) -> Option<MetadataError> {
        check("k", text, &Limits::default()).err()
    }

    #[test]
    fn accepts_objects_within_the_limits() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(31), "]".repeat(31));
        for text in ["{}", " {\"a\":[1,{\"b\":null}]} ", &deep] {
            assert_eq!(error(text), None, "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "null",
            "[]",
            "1",
            "{",
            "{}x",
            "\u{feff}{}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert!(
                matches!(error(text), Some(MetadataError::Malformed { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn names_the_limit() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(32), "]".repeat(32));
        let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(65_536));
        for (text, limit) in [(deep, Limit::MetadataDepth), (huge, Limit::Metadata)] {
            let Some(MetadataError::Limit { exceeded, .. }) = error(&text) else {
                panic!("no limit");
            };
            assert_eq!(exceeded.limit, limit);
        }
        let far_too_deep = "[".repeat(100_000);
        assert!(error(&far_too_deep).is_some());
    }
}
