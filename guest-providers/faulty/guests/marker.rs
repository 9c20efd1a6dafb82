//! Makes secrets of the very text that hides secrets, and errors without end.

use keyhost_guest::log::{Level, write};
use keyhost_guest::{Error, Secret};

keyhost_faulty_guests::faulty!("marker", |_config, _metadata| {
    let parts: [&[u8]; 2] = [b"reda", b"cted"];
    let hoard: Vec<_> = (0..80).map(|n| Secret::conceal(parts[n % 2])).collect();
    write(Level::Warn, "reda");
    Err(Error::KeyProviderFailure(
        "reda".repeat(1 << 20) + &hoard.len().to_string(),
    ))
});
