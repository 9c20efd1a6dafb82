//! AES-GCM (NIST SP 800-38D) in the layout that OpenTofu uses: nonce (12
//! bytes), ciphertext, tag (16 bytes).

use aes_gcm::aead::{Aead, AeadCore, KeyInit, Nonce, Payload};
use aes_gcm::aes::Aes192;
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};

use super::{CryptoError, random};
use crate::secret::Secret;

/// The length of the nonce in front, in bytes.
pub const NONCE_LENGTH: usize = 12;

/// The length of the tag at the end, in bytes.
pub const TAG_LENGTH: usize = 16;

type Aes192Gcm = AesGcm<Aes192, aes_gcm::aead::consts::U12>;

/// Encrypts under a fresh random nonce. The key has 16, 24 or 32 bytes.
///
/// # Errors
/// [`CryptoError::InvalidParameter`] for a key of another length.
pub fn seal(
    key: &Secret,
    plaintext: &[u8],
    associated_data: &[u8],
) -> Result<Vec<u8>, CryptoError> {
    let nonce = random::bytes(NONCE_LENGTH)?;
    let payload = Payload {
        msg: plaintext,
        aad: associated_data,
    };
    let ciphertext = match key.len() {
        16 => encrypt::<Aes128Gcm>(key, &nonce, payload),
        24 => encrypt::<Aes192Gcm>(key, &nonce, payload),
        32 => encrypt::<Aes256Gcm>(key, &nonce, payload),
        length => Err(key_length(length)),
    }?;
    Ok([nonce, ciphertext].concat())
}

/// Decrypts what [`seal`] made.
///
/// # Errors
/// [`CryptoError::AuthenticationFailed`] for another key or changed data;
/// [`CryptoError::InvalidParameter`] for a key of another length.
pub fn open(key: &Secret, sealed: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, CryptoError> {
    let Some((nonce, ciphertext)) = sealed
        .split_at_checked(NONCE_LENGTH)
        .filter(|(_, rest)| rest.len() >= TAG_LENGTH)
    else {
        return Err(CryptoError::InvalidParameter(format!(
            "{} bytes of encrypted data: at least {} are needed",
            sealed.len(),
            NONCE_LENGTH + TAG_LENGTH
        )));
    };
    let payload = Payload {
        msg: ciphertext,
        aad: associated_data,
    };
    match key.len() {
        16 => decrypt::<Aes128Gcm>(key, nonce, payload),
        24 => decrypt::<Aes192Gcm>(key, nonce, payload),
        32 => decrypt::<Aes256Gcm>(key, nonce, payload),
        length => Err(key_length(length)),
    }
}

/// Whether AES-GCM takes a key of this many bytes.
pub fn takes_key_length(length: usize) -> bool {
    matches!(length, 16 | 24 | 32)
}

fn key_length(length: usize) -> CryptoError {
    CryptoError::InvalidParameter(format!(
        "AES-GCM takes a key of 16, 24 or 32 bytes, not of {length}"
    ))
}

fn encrypt<C>(key: &Secret, nonce: &[u8], payload: Payload<'_, '_>) -> Result<Vec<u8>, CryptoError>
where
    C: Aead + AeadCore + KeyInit,
{
    cipher::<C>(key)?
        .encrypt(&to_nonce::<C>(nonce)?, payload)
        .map_err(|_| CryptoError::InvalidParameter("the plaintext is too long".to_owned()))
}

fn decrypt<C>(key: &Secret, nonce: &[u8], payload: Payload<'_, '_>) -> Result<Vec<u8>, CryptoError>
where
    C: Aead + AeadCore + KeyInit,
{
    cipher::<C>(key)?
        .decrypt(&to_nonce::<C>(nonce)?, payload)
        .map_err(|_| CryptoError::AuthenticationFailed)
}

fn cipher<C: KeyInit>(key: &Secret) -> Result<C, CryptoError> {
    C::new_from_slice(key.expose()).map_err(|_| key_length(key.len()))
}

fn to_nonce<C: AeadCore>(nonce: &[u8]) -> Result<Nonce<C>, CryptoError> {
    Nonce::<C>::try_from(nonce)
        .map_err(|_| CryptoError::InvalidParameter("the nonce has the wrong length".to_owned()))
}
