//! Reads standard input through WASI.

use keyhost_guest::Error;
use wasip2::cli::stdin::get_stdin;
use wasip2::cli::terminal_stdin::get_terminal_stdin;

keyhost_faulty_guests::faulty!("wasi-stdin", |_config, _metadata| {
    let input = get_stdin().blocking_read(1024).unwrap_or_default();
    Err(Error::failure(format!(
        "read {} bytes, terminal: {}",
        input.len(),
        get_terminal_stdin().is_some()
    )))
});
