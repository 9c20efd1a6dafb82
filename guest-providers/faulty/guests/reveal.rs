//! Tries to see its secret, and tells everybody.

use keyhost_guest::Error;
use keyhost_guest::log::{Level, write};

keyhost_faulty_guests::faulty!("reveal", |config, _metadata| {
    let (_, secret) = &config.secrets[0];
    match secret.reveal() {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            write(Level::Warn, &text);
            Err(Error::KeyProviderFailure(format!("the key is {text}")))
        }
        Err(error) => Err(Error::KeyProviderFailure(format!("reveal: {error:?}"))),
    }
});
