//! The `{{name}}` credentials helper: read-only, with the tokens that stand in
//! keyhost's configuration.

use keyhost_guest::credentials_helper::{Credentials, CredentialsHelper, Error, from_token};
use keyhost_guest::{AttributeType, Config, Descriptor, Secret, attribute};

struct Helper {
    /// By host.
    tokens: Vec<(String, Secret)>,
}

impl CredentialsHelper for Helper {
    fn describe() -> Descriptor {
        let tokens = attribute(
            "tokens",
            AttributeType::MapOfString,
            "The token of each host, such as { \"example.com\" = var.token }.",
        );
        Descriptor {
            id: "{{name}}".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![tokens.required().sensitive()],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let mut tokens = config.take_secrets("tokens");
        if !tokens.iter().all(|(host, _)| is_host(host)) {
            return Err(Error::invalid_configuration(
                "tokens has a name that is no host in lower case, such as example.com",
            ));
        }
        // A variable that is not set leaves an empty text.
        tokens.retain(|(_, token)| token.length() > 0);
        Ok(Self { tokens })
    }

    fn get(&self, host: String) -> Result<Option<Secret>, Error> {
        let token = self.tokens.iter().find(|(known, _)| *known == host);
        Ok(token.map(|(_, token)| from_token(token)).transpose()?)
    }

    fn store(&self, _: String, _: Credentials) -> Result<(), Error> {
        Err(read_only())
    }

    fn forget(&self, _: String) -> Result<(), Error> {
        Err(read_only())
    }

    fn hosts(&self) -> Result<Vec<String>, Error> {
        Ok(self.tokens.iter().map(|(host, _)| host.clone()).collect())
    }
}

fn read_only() -> Error {
    Error::unsupported(
        "the tokens of this helper stand in keyhost's configuration: change them there",
    )
}

/// keyhost asks for hosts in lower case, such as example.com or
/// example.com:8443.
fn is_host(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b':');
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_credentials_helper!(Helper);
