//! Takes memory until there is none.

keyhost_faulty_guests::faulty!("memory-growth", |_config, _metadata| {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        hoard.push(std::hint::black_box(vec![1; 1 << 20]));
    }
});
