//! A plugin, from the handshake to its exit.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::transport::Server;

use crate::handshake::{announce, client_certificate, is_plugin_start};
use crate::incoming::accept;
use crate::leases::Leases;
use crate::lifetime::Lifetime;
use crate::options::Options;
use crate::resources::EphemeralResources;
use crate::service::{Controller, Provider, Router};
use crate::socket::Socket;
use crate::tls;

/// For the answers that are on their way. The client kills the process 2 s after
/// the answer to its shutdown.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Why a plugin cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// See [`is_plugin_start`].
    #[error("not started by terraform")]
    NotStartedByTerraform,
    /// A client without one could be any process of the user.
    #[error("terraform gave no certificate to know it by")]
    NoClientCertificate,
    /// No key, or no certificate of it.
    #[error("cannot make a certificate to serve under")]
    Identity,
    /// The runtime, the signals, the socket or standard output.
    #[error("cannot start to serve")]
    Io(#[from] io::Error),
}

/// Serves ephemeral resources to the terraform that has started this process, until
/// the run is over. All leases are closed by then. Standard output is used up.
///
/// The caller should exit at once: a call that did not end in time may still run.
///
/// # Errors
///
/// When serving cannot start. Later failures go to terraform and to the log.
pub fn serve(resources: Arc<dyn EphemeralResources>, options: Options) -> Result<(), ServeError> {
    if !is_plugin_start() {
        return Err(ServeError::NotStartedByTerraform);
    }
    let client = client_certificate().ok_or(ServeError::NoClientCertificate)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let result = runtime.block_on(run(resources, Arc::new(options), client));
    // Not by dropping it: that waits for calls that hang.
    runtime.shutdown_background();
    result
}

async fn run(
    resources: Arc<dyn EphemeralResources>,
    options: Arc<Options>,
    client: CertificateDer<'static>,
) -> Result<(), ServeError> {
    let lifetime = Lifetime::watch()?;
    let (certificate, tls) = tls::configure(client).map_err(|_| ServeError::Identity)?;
    let (socket, listener) = Socket::bind()?;
    announce(&socket.path(), &certificate)?;

    let leases = Arc::new(Leases::new(Arc::clone(&resources), Arc::clone(&options)));
    let controller = Controller {
        leases: Arc::clone(&leases),
        end: Arc::clone(&lifetime.end),
    };
    let connected = Arc::clone(&lifetime.connected);
    let incoming = accept(listener, tls, Arc::clone(&options), connected);
    let provider = Provider::new(resources, options, Arc::clone(&leases));
    let (end, ended) = oneshot::channel::<()>();
    let server = tokio::spawn(Server::builder().serve_with_incoming_shutdown(
        Router::new(provider, controller),
        incoming,
        async { drop(ended.await) },
    ));

    lifetime.ended(Arc::clone(&leases)).await;
    leases.release().await;
    drop(end);
    // Nobody is left to be told of a failure.
    let _ = timeout(LAST_ANSWERS, server).await;
    drop(socket);
    Ok(())
}
