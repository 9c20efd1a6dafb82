//! The operating system's random number generator.

use super::CryptoError;

/// Random bytes.
///
/// # Errors
/// [`CryptoError::InvalidParameter`] when the operating system has none.
pub fn bytes(length: usize) -> Result<Vec<u8>, CryptoError> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(|error| {
        CryptoError::InvalidParameter(format!("the system's random number generator: {error}"))
    })?;
    Ok(bytes)
}
