use keyhost_guest::credentials_helper::{Credentials, CredentialsHelper, Error, from_token};
use keyhost_guest::{AttributeType, Config, Descriptor, Secret, attribute};

/// Tokens by host.
pub(crate) struct Env {
    tokens: Vec<(String, Secret)>,
}

impl CredentialsHelper for Env {
    fn describe() -> Descriptor {
        Descriptor {
            id: "env".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![
                attribute(
                    "tokens",
                    AttributeType::MapOfString,
                    "The token of each host, such as { \"example.com\" = var.token }.",
                )
                .required()
                .sensitive(),
            ],
        }
    }

    fn build(mut config: Config) -> Result<Self, Error> {
        let tokens = config.take_secrets("tokens");
        match tokens.iter().find(|(host, _)| !is_host(host)) {
            Some((host, _)) => Err(Error::invalid_configuration(format!(
                "\"{host}\" is no host in the form that clients compare: lower case, without :443, such as example.com or example.com:8443"
            ))),
            None => Ok(Self { tokens }),
        }
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
        let known = self.tokens.iter().filter(|(_, token)| token.length() > 0);
        Ok(known.map(|(host, _)| host.clone()).collect())
    }
}

fn read_only(host: &str) -> Error {
    Error::unsupported(format!(
        "the tokens of this helper stand in keyhost's configuration: change the variable for {host} there"
    ))
}

/// Whether a host can be asked for: the host asks for comparison forms alone.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (text, None),
    };
    let letters = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
    };
    let digits = |port: &str| {
        let all_digits = port.bytes().all(|byte| byte.is_ascii_digit());
        !port.is_empty() && port != "443" && !port.starts_with('0') && all_digits
    };
    !name.is_empty() && name.bytes().all(letters) && port.is_none_or(digits)
}
