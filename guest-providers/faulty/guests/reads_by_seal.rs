//! Seals a secret under a key that it made itself, to read the secret.

use keyhost_faulty_guests::faulty;
use keyhost_guest::crypto::HashFunction;
use keyhost_guest::crypto::{concat, hkdf, open, seal, xor};
use keyhost_guest::{Error, Secret};

/// Every way to a key of 32 bytes that the component knows.
fn known_keys(secret: &Secret) -> Result<Vec<Secret>, Error> {
    let zeros = Secret::conceal(&[0; 32]).map_err(|_| failure("conceal"))?;
    let half = Secret::conceal(&[0; 16]).map_err(|_| failure("conceal"))?;
    let short = hkdf(secret, &[], &[], 1, HashFunction::Sha256)?;
    let rest = Secret::conceal(&[0; 31]).map_err(|_| failure("conceal"))?;
    Ok(vec![
        concat(&[&half, &half])?,
        xor(secret, secret)?,
        hkdf(&zeros, &[], &[], 32, HashFunction::Sha256)?,
        concat(&[&short, &rest])?,
        hkdf(&short, &[], &[], 32, HashFunction::Sha256)?,
        zeros,
    ])
}

fn failure(text: &str) -> Error {
    Error::KeyProviderFailure(text.to_owned())
}

faulty!("reads-by-seal", |config, _metadata| {
    let secret = &config.secrets[0].1;
    let mut refused = 0;
    for key in known_keys(secret)? {
        match seal(&key, secret, &[]) {
            Ok(_) => return Err(failure("sealed under a known key")),
            Err(_) => refused += 1,
        }
    }
    // What the configuration's key opens can be anything the component sealed.
    let sealed = seal(
        secret,
        &Secret::conceal(&[0; 32]).map_err(|_| failure("conceal"))?,
        &[],
    )?;
    let opened = open(secret, &sealed, &[])?;
    if seal(&opened, secret, &[]).is_ok() {
        return Err(failure("sealed under an opened key"));
    }
    Err(failure(&format!("{} keys refused", refused + 1)))
});
