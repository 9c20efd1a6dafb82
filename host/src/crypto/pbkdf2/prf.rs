//! PBKDF2's pseudorandom function, HMAC (RFC 2104), keyed with a password.

use hmac::Hmac;
use hmac::digest::{Digest, KeyInit, Mac};
use zeroize::{Zeroize, Zeroizing};

use super::compression::CompressionFunction;
use super::kernel::Lane;

/// HMAC, keyed, that has taken in the salt.
pub(super) struct Prf<C: CompressionFunction> {
    salted: Hmac<C::Digest>,
    inner: C::State,
    outer: C::State,
}

impl<C: CompressionFunction> Prf<C> {
    pub(super) fn new(password: &[u8], salt: &[u8]) -> Self {
        let block_length = C::ZERO_BLOCK.as_ref().len();
        let mut key = Zeroizing::new(password.to_vec());
        if key.len() > block_length {
            key = Zeroizing::new(<C::Digest as Digest>::digest(&key).to_vec());
        }
        let mut salted = Hmac::<C::Digest>::new_from_slice(&key).expect("HMAC takes every length");
        salted.update(salt);
        Self {
            salted,
            inner: key_state::<C>(&key, 0x36),
            outer: key_state::<C>(&key, 0x5c),
        }
    }

    /// The lane of an output block, after the first iteration. Blocks count
    /// from 1.
    pub(super) fn first(&self, block: u32) -> Lane<C> {
        let mut hmac = self.salted.clone();
        hmac.update(&block.to_be_bytes());
        let mut output = hmac.finalize().into_bytes();
        let value = C::read(&output);
        output.as_mut_slice().zeroize();
        Lane {
            inner: self.inner,
            outer: self.outer,
            value,
            sum: value,
        }
    }
}

impl<C: CompressionFunction> Drop for Prf<C> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// The state after HMAC's key block.
fn key_state<C: CompressionFunction>(key: &[u8], pad: u8) -> C::State {
    let mut block = C::ZERO_BLOCK;
    block.as_mut().fill(pad);
    for (byte, key) in block.as_mut().iter_mut().zip(key) {
        *byte ^= key;
    }
    let mut state = C::INITIAL;
    C::compress(&mut state, &block);
    block.zeroize();
    state
}
