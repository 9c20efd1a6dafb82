//! A server on a local port, with a thread for each connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Ends the threads of connections that a client forgot.
const READ_LIMIT: Duration = Duration::from_secs(30);

/// Accepts connections until it is dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Listener {
    /// Errors of a connection are the client's to notice.
    pub(crate) fn start<F>(serve: F) -> Self
    where
        F: Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("address");
        let stopping = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopping);
        let serve = Arc::new(serve);
        let accepting = thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let serve = Arc::clone(&serve);
                thread::spawn(move || {
                    connection.set_read_timeout(Some(READ_LIMIT))?;
                    serve(connection)
                });
            }
        });
        Self {
            address,
            stopping,
            accepting: Some(accepting),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // The accepting thread sees the flag at its next connection: this one.
        TcpStream::connect(self.address).ok();
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}
