//! Calls into the program that is served.

use std::future::Future;
use std::time::Duration;

use crate::diagnostic::Diagnostic;

/// Runs a call on a thread where it may block.
///
/// # Errors
///
/// When it panics. What the panic says stays out: it may hold a secret.
pub(crate) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Vec<Diagnostic>> {
    tokio::task::spawn_blocking(call).await.map_err(|_| {
        vec![Diagnostic::error(
            "The provider failed unexpectedly",
            "This is a bug in the provider, not in the configuration.",
        )]
    })
}

/// Runs a call that returns diagnostics as its error.
///
/// # Errors
///
/// What the call says, or that it panicked.
pub(crate) async fn fallible<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send + 'static,
) -> Result<T, Vec<Diagnostic>> {
    blocking(call).await?
}

/// Waits for a call for so long; `None` if it has not ended by then. The thread
/// cannot be stopped: it ends with the process.
pub(crate) async fn within<T>(limit: Duration, call: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, call).await.ok()
}
