//! Secret bytes: wiped when dropped, never printed.

use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Secret bytes, shared by reference. The bytes are overwritten with zeros when
/// the last reference is dropped, and `Debug` shows only their number.
#[derive(Clone)]
pub struct Secret {
    bytes: Arc<Zeroizing<Vec<u8>>>,
    influenced: bool,
}

impl Secret {
    /// Takes over bytes; no other copy is made.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Arc::new(Zeroizing::new(bytes)),
            influenced: false,
        }
    }

    /// The bytes.
    pub fn expose(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, to be changed: copied only where others share them.
    pub fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        Arc::unwrap_or_clone(self.bytes)
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The same bytes, marked: a component made them, or had a hand in them.
    /// With such a secret it could ask the host for the bytes of another.
    pub(crate) fn influenced(self) -> Self {
        Self {
            influenced: true,
            ..self
        }
    }

    /// The same bytes without the mark: for a component that had no hand in
    /// them.
    pub(crate) fn handed_over(&self) -> Self {
        Self {
            bytes: Arc::clone(&self.bytes),
            influenced: false,
        }
    }

    pub(crate) fn is_influenced(&self) -> bool {
        self.influenced
    }
}

impl From<&[u8]> for Secret {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes.to_vec())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

/// Compares in time that depends on the lengths alone.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose().ct_eq(other.expose()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secret({} bytes)", self.len())
    }
}

/// The keys of a key provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPair {
    /// The key for new data.
    pub encryption_key: Secret,
    /// The key of existing data; absent where nothing is to be decrypted.
    pub decryption_key: Option<Secret>,
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_shows_no_byte() {
        let secret = Secret::from("hunter2".to_owned());
        assert_eq!(format!("{secret:?}"), "Secret(7 bytes)");
    }
}
