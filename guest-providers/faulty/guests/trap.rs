//! Traps on what it does not expect.

keyhost_faulty_guests::faulty!("trap", |_config, _metadata| {
    unwrap_nothing(std::hint::black_box(None))
});

#[inline(never)]
fn unwrap_nothing(
    nothing: Option<keyhost_guest::KeyPair>,
) -> Result<(keyhost_guest::KeyPair, Option<String>), keyhost_guest::Error> {
    Ok((nothing.expect("nothing is something"), None))
}
