//! Never comes to an end of its initialisation.

/// What a component calls when it is instantiated.
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    let mut state = 1_u64;
    while std::hint::black_box(state) != 0 {
        state = state.wrapping_mul(3);
    }
}

keyhost_faulty_guests::faulty!("endless-start", |_config, metadata| {
    Ok((
        keyhost_faulty_guests::keys(metadata.as_deref())?,
        Some("{}".to_owned()),
    ))
});
