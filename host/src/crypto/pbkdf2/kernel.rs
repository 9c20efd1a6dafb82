//! The inner loop: HMAC over HMAC, with the key's two states computed once, so
//! that an iteration is two compressions and nothing else.

use zeroize::Zeroize;

use super::compression::CompressionFunction;

/// One output block on its way.
pub(super) struct Lane<C: CompressionFunction> {
    /// The state after the inner key block of HMAC.
    pub(super) inner: C::State,
    /// The state after the outer key block of HMAC.
    pub(super) outer: C::State,
    /// The last value of the pseudorandom function: U in RFC 8018.
    pub(super) value: C::State,
    /// All values so far, xored: T in RFC 8018.
    pub(super) sum: C::State,
}

impl<C: CompressionFunction> Drop for Lane<C> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
        self.value.zeroize();
        self.sum.zeroize();
    }
}

/// A way to run the loop on this machine.
pub(super) trait Kernel<C: CompressionFunction>: Sync {
    /// How many lanes are run in about the time of one.
    fn lanes(&self) -> usize;

    /// Applies the pseudorandom function so many times to each of at most
    /// [`Kernel::lanes`] lanes.
    fn iterate(&self, lanes: &mut [Lane<C>], times: u32);
}

/// The best kernel for this machine. Vector kernels, with what they need of the
/// processor found out at run time, belong here.
pub(super) fn detect<C: CompressionFunction>() -> &'static dyn Kernel<C> {
    &Portable
}

/// One lane at a time, on the compression functions of the sha2 crate, which
/// use the processor's SHA instructions where it has them.
pub(super) struct Portable;

impl<C: CompressionFunction> Kernel<C> for Portable {
    fn lanes(&self) -> usize {
        1
    }

    fn iterate(&self, lanes: &mut [Lane<C>], times: u32) {
        for lane in lanes {
            iterate(lane, times);
        }
    }
}

fn iterate<C: CompressionFunction>(lane: &mut Lane<C>, times: u32) {
    let mut block = padded_block::<C>();
    let mut state = lane.inner;
    for _ in 0..times {
        C::write(&lane.value, digest_part::<C>(&mut block));
        state = lane.inner;
        C::compress(&mut state, &block);
        C::write(&state, digest_part::<C>(&mut block));
        state = lane.outer;
        C::compress(&mut state, &block);
        lane.value = state;
        C::xor(&mut lane.sum, &state);
    }
    block.zeroize();
    state.zeroize();
}

fn digest_part<C: CompressionFunction>(block: &mut C::Block) -> &mut [u8] {
    &mut block.as_mut()[..C::OUTPUT_LENGTH]
}

/// The last block of a message that is one key block and one digest long, with
/// room for the digest: the padding of FIPS 180-4.
fn padded_block<C: CompressionFunction>() -> C::Block {
    let mut block = C::ZERO_BLOCK;
    let bytes = block.as_mut();
    let message_bits = 8 * (bytes.len() + C::OUTPUT_LENGTH) as u64;
    bytes[C::OUTPUT_LENGTH] = 0x80;
    if let Some(length) = bytes.last_chunk_mut() {
        *length = message_bits.to_be_bytes();
    }
    block
}
