//! Resolves a name through WASI.

use keyhost_guest::Error;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::ip_name_lookup::resolve_addresses;
use wasip2::sockets::network::{ErrorCode, IpAddress};

fn resolve(name: &str) -> Result<Option<IpAddress>, ErrorCode> {
    let addresses = resolve_addresses(&instance_network(), name)?;
    addresses.subscribe().block();
    addresses.resolve_next_address()
}

keyhost_faulty_guests::faulty!("wasi-dns", |_config, _metadata| {
    Err(Error::failure(format!(
        "resolve: {:?}, {:?}",
        resolve("localhost"),
        resolve("127.0.0.1")
    )))
});
