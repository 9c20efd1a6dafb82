use keyhost_guest::crypto::{CryptoError, decode_hex};
use keyhost_guest::{Config, Error, Secret, invalid_configuration};

/// The key that the configuration spells.
pub(crate) fn key(mut config: Config) -> Result<Secret, Error> {
    let text = config
        .take_secret("key")
        .ok_or_else(|| invalid_configuration("key is missing"))?;
    let key = decode_hex(&text).map_err(|error| match error {
        CryptoError::InvalidParameter(reason) => {
            invalid_configuration(format!("key is not hexadecimal: {reason}"))
        }
        other => other.into(),
    })?;
    if key.length() == 0 {
        return Err(invalid_configuration("key is empty"));
    }
    Ok(key)
}
