use keyhost_guest::crypto::equal;
use keyhost_guest::{Config, Error, KeyPair, Secret, invalid_configuration};

/// The two operands, checked to fit each other.
pub(crate) fn operands(mut config: Config) -> Result<(KeyPair, KeyPair), Error> {
    let mut operand = |name: &str| {
        config
            .take_keys(name)
            .ok_or_else(|| invalid_configuration(format!("{name} is missing")))
    };
    let (a, b) = (operand("a")?, operand("b")?);
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
            return Err(invalid_configuration(format!(
                "only one of a and b supplies a {which} key"
            )));
        }
    };
    if a.length() != b.length() {
        return Err(invalid_configuration(format!(
            "the {which} keys of a and b differ in length ({} and {} bytes)",
            a.length(),
            b.length()
        )));
    }
    if a.length() == 0 {
        return Err(invalid_configuration(format!(
            "the {which} keys of a and b are empty"
        )));
    }
    if equal(a, b) {
        return Err(invalid_configuration(format!(
            "a and b supply the same {which} key, which would give a key of zeros"
        )));
    }
    Ok(())
}
