//! Connections of the client, after it has shown who it is.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;

use crate::options::Options;

/// A local peer needs milliseconds.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// When the system refuses a connection, at its limit of open files for one.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

/// The client opens one; the rest wait.
const WAITING_CONNECTIONS: usize = 4;

type Connection = io::Result<TlsStream<UnixStream>>;

/// Accepts connections for as long as somebody takes them. Tells `connected` of each
/// one whose client is the right one.
pub(crate) fn accept(
    listener: UnixListener,
    tls: ServerConfig,
    options: Arc<Options>,
    connected: Arc<Notify>,
) -> ReceiverStream<Connection> {
    let (accepted, incoming) = channel(WAITING_CONNECTIONS);
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    tokio::spawn(async move {
        while !accepted.is_closed() {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(PAUSE_AFTER_FAILURE).await;
                continue;
            };
            let handshake = timeout(HANDSHAKE_LIMIT, acceptor.accept(stream));
            let (options, connected) = (Arc::clone(&options), Arc::clone(&connected));
            let accepted = accepted.clone();
            tokio::spawn(async move {
                match handshake.await {
                    Ok(Ok(connection)) => {
                        connected.notify_one();
                        pass_on(&accepted, connection).await;
                    }
                    Ok(Err(error)) => (options.log)(&format!("Refused a connection: {error}")),
                    Err(_) => (options.log)("Refused a connection: it said nothing"),
                }
            });
        }
    });
    ReceiverStream::new(incoming)
}

async fn pass_on(accepted: &Sender<Connection>, connection: TlsStream<UnixStream>) {
    // Without a taker the plugin is ending: the client's connection ends too.
    let _ = accepted.send(Ok(connection)).await;
}
