//! Returns metadata that is no JSON object.

keyhost_faulty_guests::faulty!("broken-metadata", |_config, metadata| {
    Ok((
        keyhost_faulty_guests::keys(metadata.as_deref())?,
        Some("[1]".to_owned()),
    ))
});
