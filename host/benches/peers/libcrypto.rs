//! OpenSSL's libcrypto, loaded at run time: a peer, and no dependency.

use std::ffi::{CStr, c_char, c_int, c_void};

use anyhow::{Context, ensure};
use libloading::{Library, Symbol};

type Digest = unsafe extern "C" fn() -> *const c_void;
type Version = unsafe extern "C" fn(c_int) -> *const c_char;
type Derive = unsafe extern "C" fn(
    *const u8,
    c_int,
    *const u8,
    c_int,
    c_int,
    *const c_void,
    c_int,
    *mut u8,
) -> c_int;

const NAMES: [&str; 3] = ["libcrypto.so.3", "libcrypto.so", "libcrypto.dylib"];

pub(crate) struct Libcrypto(Library);

#[allow(unsafe_code)]
impl Libcrypto {
    pub(crate) fn load() -> anyhow::Result<Self> {
        // SAFETY: libcrypto may be loaded and used by any program.
        let load = |name: &&str| unsafe { Library::new(*name) }.ok();
        let library = NAMES.iter().find_map(load);
        Ok(Self(
            library.context("OpenSSL's libcrypto is not installed")?,
        ))
    }

    pub(crate) fn version(&self) -> anyhow::Result<String> {
        // SAFETY: the signature is that of OpenSSL_version(3), whose result is
        // a static text.
        unsafe {
            let version: Symbol<'_, Version> = self.0.get(b"OpenSSL_version")?;
            Ok(CStr::from_ptr(version(0)).to_string_lossy().into_owned())
        }
    }

    /// PKCS5_PBKDF2_HMAC(3), a key of 32 bytes.
    pub(crate) fn derive(
        &self,
        sha512: bool,
        password: &[u8],
        salt: &[u8],
        iterations: u32,
    ) -> anyhow::Result<[u8; 32]> {
        let digest: &[u8] = if sha512 { b"EVP_sha512" } else { b"EVP_sha256" };
        let mut key = [0; 32];
        // SAFETY: the signatures are those of the manual pages, and each
        // length is that of its buffer.
        let result = unsafe {
            let digest: Symbol<'_, Digest> = self.0.get(digest)?;
            let derive: Symbol<'_, Derive> = self.0.get(b"PKCS5_PBKDF2_HMAC")?;
            derive(
                password.as_ptr(),
                password.len().try_into()?,
                salt.as_ptr(),
                salt.len().try_into()?,
                iterations.try_into()?,
                digest(),
                32,
                key.as_mut_ptr(),
            )
        };
        ensure!(result == 1, "PKCS5_PBKDF2_HMAC failed");
        Ok(key)
    }
}
