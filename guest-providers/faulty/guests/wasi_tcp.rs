//! Connects to the port in its configuration through WASI, and listens.

use keyhost_guest::Error;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::network::{ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress};
use wasip2::sockets::tcp_create_socket::create_tcp_socket;

/// Where the test listens.
const PORT: u16 = 47_631;

fn connect() -> Result<(), ErrorCode> {
    let socket = create_tcp_socket(IpAddressFamily::Ipv4)?;
    socket.start_connect(&instance_network(), address(PORT))?;
    socket.subscribe().block();
    socket.finish_connect().map(drop)
}

fn listen() -> Result<(), ErrorCode> {
    let socket = create_tcp_socket(IpAddressFamily::Ipv4)?;
    socket.start_bind(&instance_network(), address(0))?;
    socket.finish_bind()?;
    socket.start_listen()?;
    socket.finish_listen()
}

fn address(port: u16) -> IpSocketAddress {
    IpSocketAddress::Ipv4(Ipv4SocketAddress {
        port,
        address: (127, 0, 0, 1),
    })
}

keyhost_faulty_guests::faulty!("wasi-tcp", |_config, _metadata| {
    Err(Error::failure(format!(
        "connect: {:?}, listen: {:?}",
        connect(),
        listen()
    )))
});
