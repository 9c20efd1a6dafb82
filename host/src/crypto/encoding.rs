//! Texts that spell secret bytes.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::CryptoError;
use crate::secret::Secret;

/// How bytes are spelled as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Hexadecimal, in lower case.
    Hex,
    /// Standard base64 with padding (RFC 4648, section 4).
    Base64,
    /// URL-safe base64 without padding (RFC 4648, section 5).
    Base64Url,
}

impl Encoding {
    /// The length of the text that spells so many bytes, at most.
    pub const fn length(self, bytes: usize) -> usize {
        match self {
            Self::Hex => 2 * bytes,
            Self::Base64 | Self::Base64Url => bytes.div_ceil(3) * 4,
        }
    }
}

/// The text that spells a secret.
pub fn encode(bytes: &Secret, encoding: Encoding) -> Secret {
    let bytes = bytes.expose();
    Secret::from(match encoding {
        Encoding::Hex => hex::encode(bytes),
        Encoding::Base64 => STANDARD.encode(bytes),
        Encoding::Base64Url => URL_SAFE_NO_PAD.encode(bytes),
    })
}

/// The bytes that a text spells in hexadecimal, in either case.
///
/// # Errors
/// [`CryptoError::InvalidParameter`], without any part of the text.
pub fn decode_hex(text: &Secret) -> Result<Secret, CryptoError> {
    hex::decode(text.expose())
        .map(Secret::new)
        .map_err(|error| {
            CryptoError::InvalidParameter(match error {
                hex::FromHexError::OddLength => {
                    format!("an odd number of digits ({})", text.len())
                }
                hex::FromHexError::InvalidHexCharacter { index, .. } => {
                    format!("character {} is no hexadecimal digit", index + 1)
                }
                hex::FromHexError::InvalidStringLength => "the wrong length".to_owned(),
            })
        })
}

/// The bytes that a text spells in standard base64 with padding (RFC 4648,
/// section 4).
///
/// # Errors
/// [`CryptoError::InvalidParameter`], without any part of the text.
pub fn decode_base64(text: &Secret) -> Result<Secret, CryptoError> {
    STANDARD
        .decode(text.expose())
        .map(Secret::new)
        .map_err(|_| CryptoError::InvalidParameter("no standard base64 with padding".to_owned()))
}

/// The bitwise exclusive or.
///
/// # Errors
/// [`CryptoError::InvalidParameter`] when the lengths differ.
pub fn xor(a: &Secret, b: &Secret) -> Result<Secret, CryptoError> {
    if a.len() != b.len() {
        return Err(CryptoError::InvalidParameter(format!(
            "xor of {} and {} bytes: the lengths must be equal",
            a.len(),
            b.len()
        )));
    }
    let bytes = a.expose().iter().zip(b.expose()).map(|(a, b)| a ^ b);
    Ok(Secret::new(bytes.collect()))
}

#[cfg(test)]
mod tests {
    use super::{Encoding, decode_base64, decode_hex, encode, xor};
    use crate::secret::Secret;

    fn secret(text: &str) -> Secret {
        Secret::from(text.as_bytes())
    }

    #[test]
    fn errors_show_no_part_of_the_text() {
        for text in ["zz", "0g", "abc"] {
            let error = decode_hex(&secret(text)).expect_err(text).to_string();
            assert!(!error.contains(text), "{error}");
        }
        assert!(decode_base64(&secret("!!")).is_err());
    }

    #[test]
    fn decodes_what_the_standards_spell() {
        assert_eq!(
            decode_hex(&secret("00fFa0")),
            Ok(Secret::new(vec![0, 255, 160]))
        );
        // RFC 4648, section 10.
        assert_eq!(decode_base64(&secret("Zm9vYmE=")), Ok(secret("fooba")));
    }

    #[test]
    fn xor_wants_equal_lengths() {
        assert_eq!(xor(&secret("ab"), &secret("  ")), Ok(secret("AB")));
        assert!(xor(&secret("a"), &secret("ab")).is_err());
    }

    /// RFC 4648, section 10, and bytes that tell the alphabets apart.
    #[test]
    fn spells_bytes() {
        for (bytes, encoding, text) in [
            (&b"foobar"[..], Encoding::Hex, "666f6f626172"),
            (b"fooba", Encoding::Base64, "Zm9vYmE="),
            (b"foob", Encoding::Base64Url, "Zm9vYg"),
            (b"\xfb\xff", Encoding::Base64, "+/8="),
            (b"\xfb\xff", Encoding::Base64Url, "-_8"),
            (b"", Encoding::Base64, ""),
        ] {
            let spelled = encode(&Secret::from(bytes), encoding);
            assert_eq!(spelled.expose(), text.as_bytes());
            assert!(spelled.len() <= encoding.length(bytes.len()));
        }
    }
}
