//! Asks for more bytes than HKDF can give.

use keyhost_guest::crypto::{HashFunction, hkdf, random_secret};

keyhost_faulty_guests::faulty!("huge-hkdf", |_config, _metadata| {
    let key = random_secret(32)?;
    hkdf(&key, &[], &[], u32::MAX, HashFunction::Sha512)?;
    Err(keyhost_guest::Error::KeyProviderFailure(
        "the host did it".to_owned(),
    ))
});
