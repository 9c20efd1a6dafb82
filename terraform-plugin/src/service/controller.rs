//! go-plugin's own service.

use std::sync::Arc;

use tokio::sync::Notify;
use tonic::{Request, Response, Status};

use crate::leases::Leases;
use crate::proto::plugin::{Empty, grpc_controller_server::GrpcController};

/// Ends the plugin when the client says so.
pub(crate) struct Controller {
    pub(crate) leases: Arc<Leases>,
    pub(crate) end: Arc<Notify>,
}

#[tonic::async_trait]
impl GrpcController for Controller {
    /// Releases before it answers: the client waits for the answer without a limit,
    /// but kills the process 2 s after it.
    async fn shutdown(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        let leases = Arc::clone(&self.leases);
        super::provider::to_the_end(async move { leases.release().await }).await?;
        self.end.notify_one();
        Ok(Response::new(Empty {}))
    }
}
