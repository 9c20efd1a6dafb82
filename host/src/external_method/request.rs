//! What a program is told, made piece by piece: a state can be large, and is
//! not to lie in memory once more.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// How much of the payload is encoded at once, in bytes: a multiple of three,
/// so that no piece is padded but the last.
const PIECE: usize = 48 << 10;

/// `{"key":"…","payload":"…"}`, in base64; without a key where there is none.
pub(super) struct Request<'a> {
    rest: &'a [u8],
    piece: Zeroizing<Vec<u8>>,
    sent: usize,
    ended: bool,
}

impl<'a> Request<'a> {
    pub(super) fn new(key: Option<&Secret>, payload: &'a [u8]) -> Self {
        let mut start = Zeroizing::new(Vec::new());
        match key {
            None => start.extend_from_slice(b"{\"payload\":\""),
            Some(key) => {
                let key = Zeroizing::new(STANDARD.encode(key.expose()));
                // Grown once, so that no copy of the key stays behind.
                start.reserve_exact(key.len() + 32);
                start.extend_from_slice(b"{\"key\":\"");
                start.extend_from_slice(key.as_bytes());
                start.extend_from_slice(b"\",\"payload\":\"");
            }
        }
        Self {
            rest: payload,
            piece: start,
            sent: 0,
            ended: false,
        }
    }

    /// What is to be sent next: empty at the end.
    pub(super) fn next(&mut self) -> &[u8] {
        if self.sent == self.piece.len() && !self.ended {
            let (piece, rest) = self.rest.split_at(PIECE.min(self.rest.len()));
            self.rest = rest;
            self.sent = 0;
            self.piece = Zeroizing::new(if piece.is_empty() {
                self.ended = true;
                b"\"}\n".to_vec()
            } else {
                STANDARD.encode(piece).into_bytes()
            });
        }
        &self.piece[self.sent..]
    }

    /// So many bytes of [`Request::next`] were sent.
    pub(super) fn advance(&mut self, length: usize) {
        self.sent += length;
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE, Request};
    use crate::secret::Secret;

    fn all(mut request: Request<'_>, step: usize) -> String {
        let mut bytes = Vec::new();
        loop {
            let next = request.next();
            let taken = next.len().min(step);
            bytes.extend_from_slice(&next[..taken]);
            if taken == 0 {
                return String::from_utf8(bytes).expect("UTF-8");
            }
            request.advance(taken);
        }
    }

    #[test]
    fn is_what_opentofu_sends() {
        let key = Secret::from(&b"key"[..]);
        assert_eq!(
            all(Request::new(Some(&key), b"payload"), 5),
            "{\"key\":\"a2V5\",\"payload\":\"cGF5bG9hZA==\"}\n"
        );
        assert_eq!(
            all(Request::new(None, b"payload"), 1_000),
            "{\"payload\":\"cGF5bG9hZA==\"}\n"
        );
    }

    #[test]
    fn pieces_join_without_padding() {
        let payload = vec![255; PIECE * 2 + 1];
        let text = all(Request::new(None, &payload), 10_000);
        let encoded = text.len() - "{\"payload\":\"\"}\n".len();
        assert_eq!(encoded, (PIECE * 2 + 1).div_ceil(3) * 4);
        assert_eq!(text.find('='), Some(text.len() - 5));
    }
}
