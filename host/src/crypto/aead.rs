//! AES-GCM (NIST SP 800-38D) in the layout that OpenTofu uses: nonce (12
//! bytes), ciphertext, tag (16 bytes).

use aes_gcm::aead::{AeadCore, AeadInOut, KeyInit, Nonce, Tag};
use aes_gcm::aes::Aes192;
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use zeroize::{Zeroize, Zeroizing};

use super::{CryptoError, random};
use crate::secret::Secret;

/// The length of the nonce in front, in bytes.
pub const NONCE_LENGTH: usize = 12;

/// The length of the tag at the end, in bytes.
pub const TAG_LENGTH: usize = 16;

/// By how much what is sealed is longer, in bytes.
pub const OVERHEAD: usize = NONCE_LENGTH + TAG_LENGTH;

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
    let mut sealed = Zeroizing::new(Vec::with_capacity(plaintext.len() + OVERHEAD));
    sealed.extend_from_slice(plaintext);
    seal_in_place(key, sealed, associated_data)
}

/// As [`seal`], in the plaintext's own buffer. One with room for
/// [`OVERHEAD`] more bytes is not copied.
///
/// # Errors
/// [`CryptoError::InvalidParameter`] for a key of another length.
pub fn seal_in_place(
    key: &Secret,
    plaintext: Zeroizing<Vec<u8>>,
    associated_data: &[u8],
) -> Result<Vec<u8>, CryptoError> {
    let nonce = random::bytes(NONCE_LENGTH)?;
    let length = plaintext.len();
    let mut buffer = with_room(plaintext);
    buffer.resize(length + OVERHEAD, 0);
    buffer.copy_within(..length, NONCE_LENGTH);
    buffer[..NONCE_LENGTH].copy_from_slice(&nonce);
    let (text, tag) = buffer[NONCE_LENGTH..].split_at_mut(length);
    match key.len() {
        16 => encrypt::<Aes128Gcm>(key, &nonce, associated_data, text, tag),
        24 => encrypt::<Aes192Gcm>(key, &nonce, associated_data, text, tag),
        32 => encrypt::<Aes256Gcm>(key, &nonce, associated_data, text, tag),
        length => Err(key_length(length)),
    }?;
    // What is left is no secret.
    Ok(std::mem::take(&mut *buffer))
}

/// The same bytes, in a buffer that does not move when it grows: one that is
/// left behind would not be wiped.
fn with_room(bytes: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
    if bytes.capacity() - bytes.len() >= OVERHEAD {
        return bytes;
    }
    let mut larger = Zeroizing::new(Vec::with_capacity(bytes.len() + OVERHEAD));
    larger.extend_from_slice(&bytes);
    larger
}

/// Decrypts what [`seal`] made.
///
/// # Errors
/// [`CryptoError::AuthenticationFailed`] for another key or changed data;
/// [`CryptoError::InvalidParameter`] for a key of another length.
pub fn open(key: &Secret, sealed: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, CryptoError> {
    let mut buffer = sealed.to_vec();
    open_in_place(key, &mut buffer, associated_data)?;
    Ok(buffer)
}

/// As [`open`]: what was sealed becomes the plaintext. On an error it stays as
/// it was, for another key.
///
/// # Errors
/// [`CryptoError::AuthenticationFailed`] for another key or changed data;
/// [`CryptoError::InvalidParameter`] for a key of another length and for too
/// few bytes.
pub fn open_in_place(
    key: &Secret,
    sealed: &mut Vec<u8>,
    associated_data: &[u8],
) -> Result<(), CryptoError> {
    let Some(length) = sealed.len().checked_sub(OVERHEAD) else {
        return Err(CryptoError::InvalidParameter(format!(
            "{} bytes of encrypted data: at least {OVERHEAD} are needed",
            sealed.len(),
        )));
    };
    let (nonce, rest) = sealed.split_at_mut(NONCE_LENGTH);
    let (text, tag) = rest.split_at_mut(length);
    match key.len() {
        16 => decrypt::<Aes128Gcm>(key, nonce, associated_data, text, tag),
        24 => decrypt::<Aes192Gcm>(key, nonce, associated_data, text, tag),
        32 => decrypt::<Aes256Gcm>(key, nonce, associated_data, text, tag),
        length => Err(key_length(length)),
    }?;
    sealed.copy_within(NONCE_LENGTH..NONCE_LENGTH + length, 0);
    // The end still holds some of the plaintext.
    sealed[length..].zeroize();
    sealed.truncate(length);
    Ok(())
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

fn encrypt<C>(
    key: &Secret,
    nonce: &[u8],
    associated_data: &[u8],
    text: &mut [u8],
    tag: &mut [u8],
) -> Result<(), CryptoError>
where
    C: AeadInOut + KeyInit,
{
    let made = cipher::<C>(key)?
        .encrypt_inout_detached(&to_nonce::<C>(nonce)?, associated_data, text.into())
        .map_err(|_| CryptoError::InvalidParameter("the plaintext is too long".to_owned()))?;
    tag.copy_from_slice(&made);
    Ok(())
}

/// The tag is compared before anything is decrypted.
fn decrypt<C>(
    key: &Secret,
    nonce: &[u8],
    associated_data: &[u8],
    text: &mut [u8],
    tag: &[u8],
) -> Result<(), CryptoError>
where
    C: AeadInOut + KeyInit,
{
    let tag = Tag::<C>::try_from(tag).map_err(|_| CryptoError::AuthenticationFailed)?;
    cipher::<C>(key)?
        .decrypt_inout_detached(&to_nonce::<C>(nonce)?, associated_data, text.into(), &tag)
        .map_err(|_| CryptoError::AuthenticationFailed)
}

fn cipher<C: KeyInit>(key: &Secret) -> Result<C, CryptoError> {
    C::new_from_slice(key.expose()).map_err(|_| key_length(key.len()))
}

fn to_nonce<C: AeadCore>(nonce: &[u8]) -> Result<Nonce<C>, CryptoError> {
    Nonce::<C>::try_from(nonce)
        .map_err(|_| CryptoError::InvalidParameter("the nonce has the wrong length".to_owned()))
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::{OVERHEAD, open, open_in_place, seal, seal_in_place};
    use crate::crypto::CryptoError;
    use crate::secret::Secret;

    fn key(length: usize) -> Secret {
        Secret::new((0..length).map(|byte| byte as u8).collect())
    }

    /// Test case 16 of the proposal of GCM (McGrew and Viega), which is in NIST's
    /// vectors.
    #[test]
    fn opens_a_published_test_case() {
        let hex = |text: &str| hex::decode(text).expect("hex");
        let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
        let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
        let plaintext = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
        let sealed = concat!(
            "cafebabefacedbaddecaf888",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        );
        let opened = open(&Secret::new(hex(key)), &hex(sealed), &hex(aad));
        assert_eq!(opened, Ok(hex(plaintext)));
    }

    #[test]
    fn opens_what_it_sealed_with_every_key_length() {
        for length in [16, 24, 32] {
            for text in [&b""[..], b"a", &[7; 100_000]] {
                let sealed = seal(&key(length), text, b"aad").expect("sealed");
                assert_eq!(sealed.len(), text.len() + OVERHEAD);
                assert_eq!(open(&key(length), &sealed, b"aad"), Ok(text.to_vec()));
            }
        }
    }

    #[test]
    fn what_stays_closed_stays_as_it_was() {
        let sealed = seal(&key(32), b"a secret", b"").expect("sealed");
        for (key, aad) in [(key(16), &b""[..]), (key(32), b"other")] {
            let mut buffer = sealed.clone();
            let result = open_in_place(&key, &mut buffer, aad);
            assert_eq!(result, Err(CryptoError::AuthenticationFailed));
            assert_eq!(buffer, sealed);
        }
        for changed in 0..sealed.len() {
            let mut buffer = sealed.clone();
            buffer[changed] ^= 1;
            assert!(open_in_place(&key(32), &mut buffer, b"").is_err());
        }
        let mut short = sealed[..OVERHEAD - 1].to_vec();
        assert!(matches!(
            open_in_place(&key(32), &mut short, b""),
            Err(CryptoError::InvalidParameter(_))
        ));
    }

    #[test]
    fn a_buffer_with_room_is_not_copied() {
        let mut buffer = Zeroizing::new(Vec::with_capacity(8 + OVERHEAD));
        buffer.extend_from_slice(b"a secret");
        let place = buffer.as_ptr();
        let sealed = seal_in_place(&key(32), buffer, b"").expect("sealed");
        assert_eq!(sealed.as_ptr(), place);
        assert_eq!(open(&key(32), &sealed, b""), Ok(b"a secret".to_vec()));
    }
}
