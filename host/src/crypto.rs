//! Cryptography that guests ask the host for. Everything here is native, and
//! bounded by the caller's limits before it starts.

pub mod aead;
pub mod encoding;
pub mod mac;
pub mod pbkdf2;
pub mod random;

/// A hash function of FIPS 180-4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFunction {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

impl HashFunction {
    /// The length of a digest in bytes.
    pub const fn output_length(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }

    /// The length of a block that is hashed at once, in bytes.
    pub const fn block_length(self) -> usize {
        match self {
            Self::Sha256 => 64,
            Self::Sha512 => 128,
        }
    }
}

/// Why an operation could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CryptoError {
    /// A parameter is outside what the operation takes.
    #[error("{0}")]
    InvalidParameter(String),
    /// A sealed message was changed, or sealed under another key.
    #[error("authentication failed: another key, other associated data, or changed data")]
    AuthenticationFailed,
}
