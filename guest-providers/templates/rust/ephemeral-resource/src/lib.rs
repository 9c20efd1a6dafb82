//! The `{{name}}` ephemeral resource: a random password, made when it is needed
//! and kept nowhere.

use keyhost_guest::crypto::{Encoding, encode, random_secret};
use keyhost_guest::ephemeral_resource::{
    Description, EphemeralResource, Error, Lease, Opened, sensitive_output,
};
use keyhost_guest::{AttributeType, Config, Descriptor, attribute};
use serde::{Deserialize, Serialize};

/// In bytes.
const MINIMUM_LENGTH: u32 = 16;
const MAXIMUM_LENGTH: u32 = 1024;

#[derive(Deserialize)]
struct Password {
    length: u32,
}

/// The values that are not sensitive: none.
#[derive(Serialize)]
struct Values {}

impl EphemeralResource for Password {
    fn describe() -> Description {
        let length = attribute(
            "length",
            AttributeType::Number,
            "How many random bytes the password spells.",
        );
        Description {
            descriptor: Descriptor {
                id: "{{name}}".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                attributes: vec![length.with_default(24)],
            },
            outputs: vec![sensitive_output(
                "password",
                "The password: random bytes in URL-safe base64.",
            )],
        }
    }

    fn build(config: Config) -> Result<Self, Error> {
        let password: Self = config.attributes()?;
        if !(MINIMUM_LENGTH..=MAXIMUM_LENGTH).contains(&password.length) {
            return Err(Error::invalid_configuration(format!(
                "length is not a whole number from {MINIMUM_LENGTH} to {MAXIMUM_LENGTH}"
            )));
        }
        Ok(password)
    }

    fn open(&self) -> Result<Opened, Error> {
        let password = encode(&random_secret(self.length)?, Encoding::Base64Url)?;
        Opened::new(&Values {}, [("password", password)], Lease::endless())
    }

    fn renew(&self, _: Vec<u8>) -> Result<Lease, Error> {
        Err(Error::failure(
            "a password has no end, and is never renewed",
        ))
    }

    /// Nothing is kept, and so nothing is left to end.
    fn close(&self, _: Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_ephemeral_resource!(Password);
