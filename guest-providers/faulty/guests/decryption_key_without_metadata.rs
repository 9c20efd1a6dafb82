//! Returns a decryption key although there is no metadata.

keyhost_faulty_guests::faulty!("decryption-key-without-metadata", |_config, _metadata| {
    Ok((
        keyhost_faulty_guests::keys(Some("{}"))?,
        Some("{}".to_owned()),
    ))
});
