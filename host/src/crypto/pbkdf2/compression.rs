//! The compression functions of SHA-2 (FIPS 180-4), as PBKDF2's inner loop
//! needs them: on whole blocks, with states that are kept and taken up again.

use hmac::EagerHash;
use hmac::digest::Digest;
use zeroize::Zeroize;

/// A hash function by its compression function.
pub(super) trait CompressionFunction: Send + Sync + 'static {
    /// The whole hash function.
    type Digest: EagerHash<Core: Send + Sync> + Digest;
    /// The chaining value.
    type State: Copy + Zeroize + Send + Sync;
    /// What is compressed at once.
    type Block: AsRef<[u8]> + AsMut<[u8]> + Zeroize;

    /// The length of a digest in bytes.
    const OUTPUT_LENGTH: usize;
    /// The chaining value that hashing begins with.
    const INITIAL: Self::State;
    /// A block of zeros.
    const ZERO_BLOCK: Self::Block;

    fn compress(state: &mut Self::State, block: &Self::Block);

    /// Writes a state as a digest, as much of it as there is room for.
    fn write(state: &Self::State, output: &mut [u8]);

    /// Reads a digest as a state.
    fn read(digest: &[u8]) -> Self::State;

    fn xor(state: &mut Self::State, other: &Self::State);
}

pub(super) struct Sha256;
pub(super) struct Sha512;

macro_rules! compression_function {
    ($name:ident, $word:ty, $block_length:literal, $compress:path, $initial:expr) => {
        impl CompressionFunction for $name {
            type Digest = sha2::$name;
            type State = [$word; 8];
            type Block = [u8; $block_length];

            const OUTPUT_LENGTH: usize = 8 * size_of::<$word>();
            const INITIAL: Self::State = $initial;
            const ZERO_BLOCK: Self::Block = [0; $block_length];

            fn compress(state: &mut Self::State, block: &Self::Block) {
                $compress(state, std::slice::from_ref(block));
            }

            fn write(state: &Self::State, output: &mut [u8]) {
                for (word, bytes) in state.iter().zip(output.chunks_mut(size_of::<$word>())) {
                    bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
                }
            }

            fn read(digest: &[u8]) -> Self::State {
                let mut state = [0; 8];
                let (words, _) = digest.as_chunks();
                for (word, bytes) in state.iter_mut().zip(words) {
                    *word = <$word>::from_be_bytes(*bytes);
                }
                state
            }

            fn xor(state: &mut Self::State, other: &Self::State) {
                for (word, other) in state.iter_mut().zip(other) {
                    *word ^= other;
                }
            }
        }
    };
}

compression_function!(
    Sha256,
    u32,
    64,
    sha2::block_api::compress256,
    [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ]
);

compression_function!(
    Sha512,
    u64,
    128,
    sha2::block_api::compress512,
    [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ]
);
