//! Tells the arguments and the working directory that WASI gives it.

use keyhost_guest::Error;
use wasip2::cli::environment::{get_arguments, initial_cwd};

keyhost_faulty_guests::faulty!("wasi-arguments", |_config, _metadata| {
    Err(Error::failure(format!(
        "found {:?} in {:?}",
        get_arguments(),
        initial_cwd()
    )))
});
