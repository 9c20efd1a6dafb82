//! Decoding standard base64 where it stands: encrypted data is as long as the
//! state is, and a copy of it would double what a state takes.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How many characters are decoded at once; a multiple of four.
const PIECE: usize = 16 << 10;

/// Replaces the bytes by what the range of them decodes to. `None`: it is no
/// standard base64; then the bytes are worth nothing.
pub(super) fn decode(bytes: &mut Vec<u8>, range: Range<usize>) -> Option<()> {
    let mut decoded = [0; PIECE / 4 * 3];
    let mut length = 0;
    let mut from = range.start;
    while from < range.end {
        let to = range.end.min(from + PIECE);
        let written = STANDARD
            .decode_slice(bytes.get(from..to)?, &mut decoded)
            .ok()?;
        // Padding stands at the end alone.
        if to < range.end && written < decoded.len() {
            return None;
        }
        bytes
            .get_mut(length..length + written)?
            .copy_from_slice(&decoded[..written]);
        length += written;
        from = to;
    }
    bytes.truncate(length);
    Some(())
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::{PIECE, decode};

    /// Decodes a text that stands between others.
    fn decoded(text: &str) -> Option<Vec<u8>> {
        let mut bytes = format!("before{text}after").into_bytes();
        decode(&mut bytes, 6..6 + text.len()).map(|()| bytes)
    }

    #[test]
    fn decodes_as_the_engine_does_at_once() {
        let piece = PIECE / 4 * 3;
        for length in [
            0,
            1,
            2,
            3,
            4,
            piece - 1,
            piece,
            piece + 1,
            3 * piece,
            3 * piece + 2,
        ] {
            let bytes: Vec<u8> = (0..length).map(|byte| (byte * 7) as u8).collect();
            assert_eq!(decoded(&STANDARD.encode(&bytes)), Some(bytes), "{length}");
        }
    }

    #[test]
    fn refuses_what_the_engine_refuses() {
        let piece = "A".repeat(PIECE);
        let padded = format!("{}A=", "A".repeat(PIECE - 2));
        for text in [
            "A".to_owned(),
            "AA".to_owned(),
            "AAA".to_owned(),
            "====".to_owned(),
            "AB==".to_owned(),
            "A-_A".to_owned(),
            "AAAA\n".to_owned(),
            format!("{piece}A"),
            format!("{padded}AAAA"),
            format!("{piece}AA==AAAA"),
        ] {
            assert!(STANDARD.decode(&text).is_err(), "{text}");
            assert_eq!(decoded(&text), None, "{text}");
        }
    }
}
