//! Asks for few iterations over much salt, again and again.

use keyhost_guest::crypto::{HashFunction, Pbkdf2Job, pbkdf2, random_secret};

keyhost_faulty_guests::faulty!("huge-salt", |_config, _metadata| {
    let password = random_secret(32)?;
    let salt = vec![0; 8 << 20];
    loop {
        pbkdf2(&[Pbkdf2Job {
            password: &password,
            salt: salt.clone(),
            iterations: 1,
            key_length: 1024,
            hash: HashFunction::Sha256,
        }])?;
    }
});
