//! Which service a call is for.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::NamedService;

use super::{Controller, Provider};
use crate::proto::plugin::grpc_controller_server::GrpcControllerServer;
use crate::proto::tfplugin6::provider_server::ProviderServer;

/// All services. What none of them knows is answered as unimplemented: the client
/// asks for go-plugin's others and does without.
#[derive(Clone)]
pub(crate) struct Router {
    provider: ProviderServer<Provider>,
    controller: GrpcControllerServer<Controller>,
}

impl Router {
    pub(crate) fn new(provider: Provider, controller: Controller) -> Self {
        Self {
            provider: ProviderServer::from_arc(Arc::new(provider)),
            controller: GrpcControllerServer::from_arc(Arc::new(controller)),
        }
    }
}

impl Service<http::Request<Body>> for Router {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match service_name(request.uri().path()) {
            ProviderServer::<Provider>::NAME => self.provider.call(request),
            GrpcControllerServer::<Controller>::NAME => self.controller.call(request),
            _ => Box::pin(async { Ok(Status::unimplemented("").into_http()) }),
        }
    }
}

/// Of `/package.Service/Method`.
fn service_name(path: &str) -> &str {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split_once('/').map_or(path, |(service, _)| service)
}
