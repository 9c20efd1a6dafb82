use keyhost_guest::credentials_helper::{Credentials, CredentialsHelper, Error, from_token};
use keyhost_guest::{Attribute, AttributeType, Config, Descriptor, Secret, attribute};

/// Tokens by host.
pub(crate) struct Env {
    tokens: Vec<(String, Secret)>,
}

impl CredentialsHelper for Env {
    fn describe() -> Descriptor {
        Descriptor {
            id: "env".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![Attribute {
                required: true,
                sensitive: true,
                ..attribute(
                    "tokens",
                    AttributeType::MapOfString,
                    "The token of each host, such as { \"example.com\" = var.token }.",
                )
            }],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        Ok(Self {
            tokens: config.take_secrets("tokens"),
        })
    }

    fn get(&self, host: String) -> Result<Option<Secret>, Error> {
        let token = self.tokens.iter().find(|(known, _)| *known == host);
        let Some((_, token)) = token else {
            return Ok(None);
        };
        // A variable that is not set leaves an empty text.
        if token.length() == 0 {
            return Ok(None);
        }
        Ok(Some(from_token(token)?))
    }

    fn store(&self, host: String, _: Credentials) -> Result<(), Error> {
        Err(read_only(&host))
    }

    fn forget(&self, host: String) -> Result<(), Error> {
        Err(read_only(&host))
    }

    fn hosts(&self) -> Result<Vec<String>, Error> {
        Ok(self.tokens.iter().map(|(host, _)| host.clone()).collect())
    }
}

fn read_only(host: &str) -> Error {
    Error::Unsupported(format!(
        "the tokens of this helper stand in keyhost's configuration: change the variable for {host} there"
    ))
}
