//! Ends the program through WASI.

keyhost_faulty_guests::faulty!("wasi-exit", |_config, _metadata| {
    wasip2::cli::exit::exit(Ok(()));
    Err(keyhost_guest::Error::failure("still here"))
});
