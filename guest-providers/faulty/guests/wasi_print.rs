//! Prints its secret through WASI, and fails.

use keyhost_guest::Error;
use wasip2::cli::{stderr, stdout};

keyhost_faulty_guests::faulty!("wasi-print", |config, _metadata| {
    let (_, secret) = &config.secrets[0];
    let text = secret.reveal()?;
    let line = [b"the key is ", text.as_slice(), b"\n"].concat();
    let _ = stdout::get_stdout().blocking_write_and_flush(&line);
    let _ = stderr::get_stderr().blocking_write_and_flush(b"something \x1b[31mwent\x1b[0m wrong");
    Err(Error::failure("printed"))
});
