//! Writes to the log without end.

use keyhost_guest::log::{Level, write};

keyhost_faulty_guests::faulty!("huge-log", |_config, _metadata| {
    let line = "x".repeat(1024);
    loop {
        write(Level::Info, &line);
    }
});
