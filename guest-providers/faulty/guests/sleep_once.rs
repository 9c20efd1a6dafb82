//! Sleeps for an hour through WASI, once, and answers.

use wasip2::clocks::monotonic_clock::subscribe_duration;

keyhost_faulty_guests::faulty!("sleep-once", |_config, metadata| {
    subscribe_duration(3_600_000_000_000).block();
    Ok((
        keyhost_faulty_guests::keys(metadata.as_deref())?,
        Some("{}".to_owned()),
    ))
});
