//! Returns metadata that is nested too deeply.

keyhost_faulty_guests::faulty!("deep-metadata", |_config, metadata| {
    let text = format!("{{\"a\":{}{}}}", "[".repeat(40), "]".repeat(40));
    Ok((
        keyhost_faulty_guests::keys(metadata.as_deref())?,
        Some(text),
    ))
});
