//! HMAC (RFC 2104) and HKDF (RFC 5869).

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};

use super::{CryptoError, HashFunction};
use crate::secret::Secret;

/// RFC 5869, section 2.3.
const MAXIMUM_DIGESTS: usize = 255;

/// The HMAC of a message.
///
/// # Errors
/// None in practice: HMAC takes keys of any length.
pub fn hmac(key: &Secret, message: &[u8], hash: HashFunction) -> Result<Vec<u8>, CryptoError> {
    fn compute<M: Mac + KeyInit>(key: &Secret, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let mut mac = <M as KeyInit>::new_from_slice(key.expose())
            .map_err(|_| CryptoError::InvalidParameter("hmac key length".to_owned()))?;
        mac.update(message);
        Ok(mac.finalize().into_bytes().to_vec())
    }
    match hash {
        HashFunction::Sha256 => compute::<Hmac<Sha256>>(key, message),
        HashFunction::Sha512 => compute::<Hmac<Sha512>>(key, message),
    }
}

/// Derives `length` bytes with HKDF, extract and expand.
///
/// # Errors
/// [`CryptoError::InvalidParameter`] for more than 255 digests.
pub fn hkdf(
    key: &Secret,
    salt: &[u8],
    info: &[u8],
    length: usize,
    hash: HashFunction,
) -> Result<Secret, CryptoError> {
    let too_long = || {
        let most = MAXIMUM_DIGESTS * hash.output_length();
        CryptoError::InvalidParameter(format!(
            "hkdf of {length} bytes: at most {most} are possible"
        ))
    };
    if length > MAXIMUM_DIGESTS * hash.output_length() {
        return Err(too_long());
    }
    let mut output = vec![0; length];
    let expanded = match hash {
        HashFunction::Sha256 => {
            Hkdf::<Sha256>::new(Some(salt), key.expose()).expand(info, &mut output)
        }
        HashFunction::Sha512 => {
            Hkdf::<Sha512>::new(Some(salt), key.expose()).expand(info, &mut output)
        }
    };
    expanded.map_err(|_| too_long())?;
    Ok(Secret::new(output))
}

#[cfg(test)]
mod tests {
    use super::{HashFunction, hkdf, hmac};
    use crate::secret::Secret;

    #[test]
    fn hmac_matches_rfc_4231_case_2() {
        let mac = hmac(
            &Secret::from("Jefe".to_owned()),
            b"what do ya want for nothing?",
            HashFunction::Sha256,
        );
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(mac.map(hex::encode).as_deref(), Ok(expected));
    }

    #[test]
    fn hkdf_matches_rfc_5869_case_1() {
        let okm = hkdf(
            &Secret::new(vec![0x0b; 22]),
            &hex::decode("000102030405060708090a0b0c").expect("hex"),
            &hex::decode("f0f1f2f3f4f5f6f7f8f9").expect("hex"),
            42,
            HashFunction::Sha256,
        );
        let expected =
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        assert_eq!(
            okm.map(|key| hex::encode(key.expose())).as_deref(),
            Ok(expected)
        );
    }

    #[test]
    fn hkdf_refuses_more_than_255_digests() {
        let key = Secret::new(vec![1]);
        assert!(hkdf(&key, b"", b"", 255 * 32 + 1, HashFunction::Sha256).is_err());
    }
}
