//! Declares a default of megabytes.

use keyhost_guest::{
    AttributeType, Config, Descriptor, Error, KeyPair, KeyProvider, NoMetadata, attribute,
};

struct HugeDefault;

impl KeyProvider for HugeDefault {
    type Metadata = NoMetadata;

    fn describe() -> Descriptor {
        let mut key = attribute("key", AttributeType::ListOfString, "Any texts.");
        key.default = Some(format!("[{}\"\"]", "\"\",".repeat(3 << 20)));
        Descriptor {
            attributes: vec![key],
            ..keyhost_faulty_guests::descriptor("huge-default")
        }
    }

    fn build(_: Config) -> Result<Self, Error> {
        Ok(Self)
    }

    fn provide(&self, _: Option<NoMetadata>) -> Result<(KeyPair, NoMetadata), Error> {
        Ok((keyhost_faulty_guests::keys(None)?, NoMetadata))
    }
}

keyhost_guest::export_key_provider!(HugeDefault);
