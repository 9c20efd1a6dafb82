//! Calls the host for ever.

use keyhost_guest::crypto::random_bytes;

keyhost_faulty_guests::faulty!("endless-host-calls", |_config, _metadata| {
    loop {
        random_bytes(1)?;
    }
});
