//! Prints for ever through WASI.

use wasip2::cli::stdout;

keyhost_faulty_guests::faulty!("wasi-print-much", |_config, _metadata| {
    let out = stdout::get_stdout();
    loop {
        let _ = out.blocking_write_and_flush(&[b'x'; 4096]);
    }
});
