//! Sends a datagram through WASI.

use keyhost_guest::Error;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::network::{ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress};
use wasip2::sockets::udp::OutgoingDatagram;
use wasip2::sockets::udp_create_socket::create_udp_socket;

/// Where the test listens.
const PORT: u16 = 47_632;

fn send() -> Result<u64, ErrorCode> {
    let address = |port| {
        IpSocketAddress::Ipv4(Ipv4SocketAddress {
            port,
            address: (127, 0, 0, 1),
        })
    };
    let socket = create_udp_socket(IpAddressFamily::Ipv4)?;
    socket.start_bind(&instance_network(), address(0))?;
    socket.finish_bind()?;
    let (_, outgoing) = socket.stream(None)?;
    outgoing.check_send()?;
    outgoing.send(&[OutgoingDatagram {
        data: b"hello".to_vec(),
        remote_address: Some(address(PORT)),
    }])
}

keyhost_faulty_guests::faulty!("wasi-udp", |_config, _metadata| {
    Err(Error::failure(format!("send: {:?}", send())))
});
