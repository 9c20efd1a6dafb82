//! What ends a plugin.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, getppid};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::leases::Leases;

/// How often to look whether terraform lives.
const PARENT_CHECK: Duration = Duration::from_millis(200);

/// For the first connection. As long as go-plugin's client waits for the handshake.
const FIRST_CONNECTION_LIMIT: Duration = Duration::from_secs(60);

/// Everything that may end the plugin, watched from its start.
pub(crate) struct Lifetime {
    parent: Parent,
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    /// The client has said that the run is over.
    pub(crate) end: Arc<Notify>,
    /// The client has connected.
    pub(crate) connected: Arc<Notify>,
}

impl Lifetime {
    /// # Errors
    ///
    /// When signals cannot be watched.
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self {
            parent: Parent(getppid()),
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            end: Arc::default(),
            connected: Arc::default(),
        })
    }

    /// Waits for the end. Releases at an interrupt and goes on: it comes to terraform
    /// too, which says when the run is over.
    ///
    /// A lost connection is no end: the client drops one that was idle for long, and
    /// connects again. Nor is standard input, which is terraform's own.
    pub(crate) async fn ended(mut self, leases: Arc<Leases>) {
        let unused = async {
            if timeout(FIRST_CONNECTION_LIMIT, self.connected.notified())
                .await
                .is_ok()
            {
                std::future::pending::<()>().await;
            }
        };
        tokio::pin!(unused);
        loop {
            tokio::select! {
                () = self.end.notified() => return,
                () = self.parent.gone() => return,
                () = &mut unused => return,
                _ = self.terminate.recv() => return,
                _ = self.hang_up.recv() => return,
                _ = self.interrupt.recv() => {
                    let leases = Arc::clone(&leases);
                    tokio::spawn(async move { leases.release().await });
                }
            }
        }
    }
}

/// The process that started this one.
struct Parent(Option<Pid>);

impl Parent {
    /// Waits until this process is somebody else's child.
    async fn gone(&self) {
        while getppid() == self.0 {
            sleep(PARENT_CHECK).await;
        }
    }
}
