//! Tells the environment that WASI gives it.

use keyhost_guest::Error;
use wasip2::cli::environment::get_environment;

keyhost_faulty_guests::faulty!("wasi-environment", |_config, _metadata| {
    Err(Error::failure(format!("found {:?}", get_environment())))
});
