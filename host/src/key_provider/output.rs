//! What a chain of key providers gives.

use super::metadata::StoredMetadata;
use crate::secret::KeyPair;

/// Keys, and the metadata to store beside what is encrypted with them.
#[derive(Clone, Debug)]
pub struct Output {
    /// The keys.
    pub keys: KeyPair,
    /// The new metadata of every provider in the chain that keeps some, by
    /// metadata key.
    pub metadata: StoredMetadata,
}
