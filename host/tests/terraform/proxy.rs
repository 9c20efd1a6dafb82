//! A proxy that leads every host and port to one address, so that hosts need no
//! name resolution and nothing reaches the network.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;

use crate::listener::Listener;

/// A CONNECT proxy.
pub(crate) struct Proxy {
    listener: Listener,
}

impl Proxy {
    pub(crate) fn to(target: SocketAddr) -> Self {
        let listener = Listener::start(move |client| tunnel(client, target));
        Self { listener }
    }

    /// For `HTTPS_PROXY`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.listener.address())
    }
}

fn tunnel(mut client: TcpStream, target: SocketAddr) -> io::Result<()> {
    skip_request_head(&client)?;
    let server = TcpStream::connect(target)?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let (from, to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || forward(from, to));
    forward(server, client)
}

/// The client is silent until it is answered: no byte after the head is lost.
fn skip_request_head(client: &TcpStream) -> io::Result<()> {
    for line in BufReader::new(client).lines() {
        if line?.is_empty() {
            return Ok(());
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

fn forward(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let copied = io::copy(&mut from, &mut to);
    to.shutdown(Shutdown::Write)?;
    copied.map(drop)
}
