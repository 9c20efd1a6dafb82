//! Calls itself for ever.

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    std::hint::black_box(recurse(std::hint::black_box(depth) + 1)) + 1
}

keyhost_faulty_guests::faulty!("endless-recursion", |_config, _metadata| {
    Err(keyhost_guest::Error::KeyProviderFailure(
        recurse(0).to_string(),
    ))
});
