//! Gives the host more secret bytes to keep than it may.

use keyhost_guest::{Error, Secret};

keyhost_faulty_guests::faulty!("secret-hoard", |_config, _metadata| {
    let mut hoard = Vec::new();
    loop {
        hoard.push(
            Secret::conceal(&[7; 65_536])
                .map_err(|error| Error::KeyProviderFailure(format!("conceal: {error:?}")))?,
        );
    }
});
