//! Returns more metadata than fits.

keyhost_faulty_guests::faulty!("huge-metadata", |_config, metadata| {
    let text = format!("{{\"text\":\"{}\"}}", "x".repeat(70_000));
    Ok((
        keyhost_faulty_guests::keys(metadata.as_deref())?,
        Some(text),
    ))
});
