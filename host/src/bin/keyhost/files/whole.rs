//! Reading all of a source, with no copy left behind that is not wiped.

use std::io::{self, ErrorKind, Read};

use keyhost::crypto::aead;
use zeroize::Zeroizing;

/// The most that is read, in bytes. Large states are smaller.
const MAXIMUM_SIZE: usize = 1 << 30;

/// How much is made room for where the size is not known, in bytes.
const LEAST_ROOM: usize = 64 << 10;

/// What stays free at the end, in bytes: for encrypting in place, and for
/// seeing that there is no more to read.
const SPARE: usize = aead::OVERHEAD + 1;

/// Reads to the end. `expected` is how long it will likely be, in bytes; what is
/// said to be too large is not begun with.
pub(super) fn read(mut source: impl Read, expected: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    let expected = usize::try_from(expected).unwrap_or(usize::MAX);
    if expected > MAXIMUM_SIZE {
        return Err(too_large());
    }
    let mut buffer = Zeroizing::new(vec![0; expected.max(LEAST_ROOM) + SPARE]);
    let mut length = 0;
    loop {
        if length + SPARE > buffer.len() {
            let mut larger = Zeroizing::new(vec![0; buffer.len() * 2]);
            larger[..length].copy_from_slice(&buffer[..length]);
            buffer = larger;
        }
        let end = buffer.len() - aead::OVERHEAD;
        match source.read(&mut buffer[length..end]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length > MAXIMUM_SIZE {
            return Err(too_large());
        }
    }
    buffer.truncate(length);
    Ok(buffer)
}

fn too_large() -> io::Error {
    io::Error::new(
        ErrorKind::FileTooLarge,
        format!("it is larger than {MAXIMUM_SIZE} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::{MAXIMUM_SIZE, read};

    #[test]
    fn reads_all_whatever_was_expected() {
        for length in [0, 1, 65_535, 65_536, 65_537, 300_000] {
            let bytes: Vec<u8> = (0..length).map(|byte: u32| byte as u8).collect();
            for expected in [0, 1, 65_536, u64::from(length), u64::from(length) + 7] {
                assert_eq!(*read(&bytes[..], expected).expect("read"), bytes);
            }
        }
    }

    #[test]
    fn leaves_room_to_encrypt_in_place() {
        for length in [0, 65_507, 65_536, 65_537, 131_072] {
            let bytes = vec![1; length];
            let read = read(&bytes[..], 0).expect("read");
            assert!(read.capacity() - read.len() >= keyhost::crypto::aead::OVERHEAD);
        }
    }

    /// A sparse file says a size that takes no room.
    #[test]
    fn what_says_that_it_is_too_large_is_not_read() {
        struct Unread;
        impl Read for Unread {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("it is read");
            }
        }
        for size in [MAXIMUM_SIZE as u64 + 1, u64::MAX] {
            let error = read(Unread, size).expect_err("too large");
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
    }

    #[test]
    fn an_endless_source_ends() {
        let endless = io::repeat(b' ').take(MAXIMUM_SIZE as u64 * 4);
        let error = read(endless, 0).expect_err("too large");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
