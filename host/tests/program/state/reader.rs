//! Another reader of the format, from its description alone: no code of keyhost,
//! and other cryptography.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::pbkdf2::{PBKDF2_HMAC_SHA256, PBKDF2_HMAC_SHA512, derive};
use serde_json::Value;

/// An envelope, taken apart.
pub(super) struct Read {
    pub(super) fields: Value,
    data: Vec<u8>,
}

impl Read {
    pub(super) fn of(envelope: &[u8]) -> Self {
        let fields: Value = serde_json::from_slice(envelope).expect("JSON");
        assert_eq!(fields["encryption_version"], "v0");
        let data = fields["encrypted_data"].as_str().expect("data");
        Self {
            data: STANDARD.decode(data).expect("base64"),
            fields,
        }
    }

    /// The metadata under a key.
    pub(super) fn metadata(&self, key: &str) -> Value {
        let text = self.fields["meta"][key].as_str().expect(key);
        let text = STANDARD.decode(text).expect("base64");
        serde_json::from_slice(&text).expect("JSON")
    }

    pub(super) fn metadata_keys(&self) -> Vec<&str> {
        let meta = self.fields["meta"].as_object().expect("meta");
        meta.keys().map(String::as_str).collect()
    }

    /// The key that a passphrase and the metadata under a key give.
    pub(super) fn derive(&self, key: &str, passphrase: &[u8]) -> Vec<u8> {
        let metadata = self.metadata(key);
        let number = |field: &str| metadata[field].as_u64().expect(field);
        let algorithm = match metadata["hash_function"].as_str() {
            Some("sha256") => PBKDF2_HMAC_SHA256,
            Some("sha512") => PBKDF2_HMAC_SHA512,
            other => panic!("{other:?}"),
        };
        let iterations = u32::try_from(number("iterations")).expect("iterations");
        let salt = metadata["salt"].as_str().expect("salt");
        let salt = STANDARD.decode(salt).expect("base64");
        let mut derived = vec![0; usize::try_from(number("key_length")).expect("length")];
        derive(
            algorithm,
            NonZeroU32::new(iterations).expect("iterations"),
            &salt,
            passphrase,
            &mut derived,
        );
        derived
    }

    /// What is inside; `None` where it does not authenticate.
    pub(super) fn open(&self, key: &[u8], aad: &[u8]) -> Option<Vec<u8>> {
        let algorithm = match key.len() {
            16 => &AES_128_GCM,
            32 => &AES_256_GCM,
            length => panic!("a key of {length} bytes"),
        };
        let key = LessSafeKey::new(UnboundKey::new(algorithm, key).expect("key"));
        let (nonce, sealed) = self.data.split_at_checked(12)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).expect("nonce");
        let mut sealed = sealed.to_vec();
        let opened = key.open_in_place(nonce, Aad::from(aad), &mut sealed).ok()?;
        Some(opened.to_vec())
    }
}

/// The reader itself is right: it opens what real OpenTofu encrypted.
#[test]
fn the_reader_opens_what_opentofu_encrypted() {
    let (envelope, plaintext) = super::opentofu_state();
    let read = Read::of(envelope.as_bytes());
    let key = read.derive("key_provider.pbkdf2.old", super::OLD.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.into_bytes()));
    assert_eq!(read.open(&key, b"other"), None);
}
