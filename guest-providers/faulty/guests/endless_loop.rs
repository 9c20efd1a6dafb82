//! Computes for ever.

keyhost_faulty_guests::faulty!("endless-loop", |_config, _metadata| {
    let mut state = 1_u64;
    while std::hint::black_box(state) != 0 {
        state = state.wrapping_mul(3);
    }
    Err(keyhost_guest::Error::KeyProviderFailure(state.to_string()))
});
