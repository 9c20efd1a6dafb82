use keyhost_guest::crypto::xor;
use keyhost_guest::{Config, Descriptor, Error, KeyPair, KeyProvider, NoMetadata};

/// The exclusive or of two key pairs, which keep their own metadata.
pub(crate) struct Xor {
    a: KeyPair,
    b: KeyPair,
}

impl KeyProvider for Xor {
    type Metadata = NoMetadata;

    fn describe() -> Descriptor {
        crate::descriptor::descriptor()
    }

    fn build(config: Config) -> Result<Self, Error> {
        let (a, b) = crate::config::operands(config)?;
        Ok(Self { a, b })
    }

    fn provide(&self, _: Option<NoMetadata>) -> Result<(KeyPair, NoMetadata), Error> {
        let decryption_key = match (&self.a.decryption_key, &self.b.decryption_key) {
            (Some(a), Some(b)) => Some(xor(a, b)?),
            _ => None,
        };
        let keys = KeyPair {
            encryption_key: xor(&self.a.encryption_key, &self.b.encryption_key)?,
            decryption_key,
        };
        Ok((keys, NoMetadata))
    }
}
