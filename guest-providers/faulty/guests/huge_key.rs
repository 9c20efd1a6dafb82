//! Returns a key longer than any cipher's.

use keyhost_guest::crypto::random_secret;
use keyhost_guest::{Error, KeyPair};

keyhost_faulty_guests::faulty!("huge-key", |_config, _metadata| {
    let part = random_secret(1024)?;
    let key = keyhost_guest::crypto::concat(&[&part, &part]).map_err(Error::from)?;
    Ok((
        KeyPair {
            encryption_key: key,
            decryption_key: None,
        },
        Some("{}".to_owned()),
    ))
});
