//! A key provider that wants the contract's clock, which is not for its kind.

use keyhost_guest::Error;
use keyhost_guest::ephemeral_resource::now;

keyhost_faulty_guests::faulty!("contract-clock", |_config, _metadata| {
    Err(Error::failure(format!("it is {}", now())))
});
