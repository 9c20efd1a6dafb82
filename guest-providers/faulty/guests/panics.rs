//! Panics with a reason.

keyhost_faulty_guests::faulty!("panics", |_config, _metadata| {
    panic!("there is no such key")
});
