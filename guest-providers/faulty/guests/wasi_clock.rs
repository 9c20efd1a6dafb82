//! Tells the time of WASI's clock.

use keyhost_guest::Error;
use wasip2::clocks::wall_clock::now;

keyhost_faulty_guests::faulty!("wasi-clock", |_config, _metadata| {
    let first = now();
    Err(Error::failure(format!(
        "it is {}.{:09}",
        first.seconds, first.nanoseconds
    )))
});
