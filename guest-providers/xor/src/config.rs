use keyhost_guest::crypto::equal;
use keyhost_guest::{Config, Error, KeyPair, Secret};

/// The two operands, checked to fit each other.
pub(crate) fn operands(mut config: Config) -> Result<(KeyPair, KeyPair), Error> {
    let (a, b) = (config.require_keys("a")?, config.require_keys("b")?);
    check(
        "encryption",
        Some(&a.encryption_key),
        Some(&b.encryption_key),
    )?;
    check(
        "decryption",
        a.decryption_key.as_ref(),
        b.decryption_key.as_ref(),
    )?;
    Ok((a, b))
}

fn check(which: &str, a: Option<&Secret>, b: Option<&Secret>) -> Result<(), Error> {
    let (a, b) = match (a, b) {
        (None, None) => return Ok(()),
        (Some(a), Some(b)) => (a, b),
        _ => {
            return Err(Error::invalid_configuration(format!(
                "only one of a and b supplies a {which} key"
            )));
        }
    };
    if a.length() != b.length() {
        return Err(Error::invalid_configuration(format!(
            "the {which} keys of a and b differ in length ({} and {} bytes)",
            a.length(),
            b.length()
        )));
    }
    if a.length() == 0 {
        return Err(Error::invalid_configuration(format!(
            "the {which} keys of a and b are empty"
        )));
    }
    if equal(a, b) {
        return Err(Error::invalid_configuration(format!(
            "a and b supply the same {which} key, which would give a key of zeros"
        )));
    }
    Ok(())
}
