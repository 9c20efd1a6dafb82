//! How parameters are spelled, in the configuration and in metadata.

use keyhost_guest::crypto::HashFunction;
use serde::{Deserialize, Serialize};

/// A hash function, spelled exactly as OpenTofu spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub(crate) enum Hash {
    Sha256,
    Sha512,
}

// By hand, since serde's own way also takes {"sha256":null}.
impl TryFrom<String> for Hash {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.as_str() {
            "sha256" => Ok(Self::Sha256),
            "sha512" => Ok(Self::Sha512),
            _ => Err("neither sha256 nor sha512"),
        }
    }
}

impl From<Hash> for HashFunction {
    fn from(hash: Hash) -> Self {
        match hash {
            Hash::Sha256 => Self::Sha256,
            Hash::Sha512 => Self::Sha512,
        }
    }
}
