//! Looks for everything that WASI could give it.

use keyhost_guest::Error;
use wasip2::cli::{environment, stdin};
use wasip2::filesystem::preopens;

keyhost_faulty_guests::faulty!("look-around", |_config, _metadata| {
    let input = stdin::get_stdin()
        .blocking_read(1024)
        .map_or(0, |bytes| bytes.len());
    Err(Error::KeyProviderFailure(format!(
        "{} variables, {} arguments, {} directories, {input} bytes of input",
        environment::get_environment().len(),
        environment::get_arguments().len(),
        preopens::get_directories().len(),
    )))
});
