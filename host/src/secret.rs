//! Secret bytes: wiped when dropped, never printed.

use std::fmt;
use std::sync::{Arc, LazyLock};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Secret bytes, shared by reference. The bytes are overwritten with zeros when
/// the last reference is dropped, and `Debug` shows only their number.
#[derive(Clone)]
pub struct Secret {
    bytes: Arc<Bytes>,
    length: usize,
    influenced: bool,
}

/// Where the bytes come from.
enum Bytes {
    Known(Zeroizing<Vec<u8>>),
    /// Made when they are first used.
    Deferred(LazyLock<Zeroizing<Vec<u8>>, Make>),
}

type Make = Box<dyn FnOnce() -> Zeroizing<Vec<u8>> + Send>;

impl Secret {
    /// Takes over bytes; no other copy is made.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            length: bytes.len(),
            bytes: Arc::new(Bytes::Known(Zeroizing::new(bytes))),
            influenced: false,
        }
    }

    /// Bytes that cost something to make, and may never be used. `length` is how
    /// many `make` gives.
    pub(crate) fn deferred(
        length: usize,
        make: impl FnOnce() -> Zeroizing<Vec<u8>> + Send + 'static,
    ) -> Self {
        let make: Make = Box::new(make);
        Self {
            bytes: Arc::new(Bytes::Deferred(LazyLock::new(make))),
            length,
            influenced: false,
        }
    }

    /// The bytes.
    pub fn expose(&self) -> &[u8] {
        match &*self.bytes {
            Bytes::Known(bytes) => bytes,
            Bytes::Deferred(bytes) => bytes,
        }
    }

    /// Whether the bytes cost something to make.
    pub(crate) fn is_deferred(&self) -> bool {
        matches!(*self.bytes, Bytes::Deferred(_))
    }

    /// The bytes, to be changed: copied only where others share them.
    pub fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        match Arc::try_unwrap(self.bytes) {
            Ok(Bytes::Known(bytes)) => bytes,
            Ok(Bytes::Deferred(bytes)) => bytes.clone(),
            Err(shared) => match &*shared {
                Bytes::Known(bytes) => bytes.clone(),
                Bytes::Deferred(bytes) => (*bytes).clone(),
            },
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
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
            length: self.length,
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use zeroize::Zeroizing;

    use super::Secret;

    #[test]
    fn a_deferred_secret_is_made_once_and_only_if_it_is_used() {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&made);
        let secret = Secret::deferred(3, move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Zeroizing::new(b"abc".to_vec())
        });
        let other = secret.clone();
        assert_eq!((secret.len(), secret.is_empty()), (3, false));
        assert_eq!(format!("{secret:?}"), "Secret(3 bytes)");
        assert_eq!(made.load(Ordering::Relaxed), 0);
        assert_eq!(
            (secret.expose(), other.expose()),
            (&b"abc"[..], &b"abc"[..])
        );
        assert_eq!(*other.into_bytes(), b"abc");
        assert_eq!(*secret.into_bytes(), b"abc");
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn bytes_are_copied_only_where_they_are_shared() {
        let secret = Secret::new(b"abc".to_vec());
        let place = secret.expose().as_ptr();
        let shared = secret.clone();
        assert_ne!(shared.into_bytes().as_ptr(), place);
        assert_eq!(secret.into_bytes().as_ptr(), place);
    }

    #[test]
    fn debug_shows_no_byte() {
        let secret = Secret::from("hunter2".to_owned());
        assert_eq!(format!("{secret:?}"), "Secret(7 bytes)");
    }
}
