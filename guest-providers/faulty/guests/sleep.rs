//! Sleeps for an hour, through WASI.

use wasip2::clocks::monotonic_clock::subscribe_duration;

keyhost_faulty_guests::faulty!("sleep", |_config, _metadata| {
    loop {
        subscribe_duration(3_600_000_000_000).block();
    }
});
