//! Terraform's provider service.

mod open;

use std::future::Future;
use std::sync::Arc;

use tokio::sync::OnceCell;
use tonic::{Request, Response, Status};

use crate::calls::blocking;
use crate::diagnostic::{Diagnostic, to_wire};
use crate::leases::Leases;
use crate::options::Options;
use crate::proto::tfplugin6::{
    close_ephemeral_resource as close, configure_provider as configure,
    get_provider_schema as schema, open_ephemeral_resource as open_resource, provider_server,
    renew_ephemeral_resource as renew, stop_provider as stop,
    validate_ephemeral_resource_config as validate_resource, validate_provider_config as validate,
};
use crate::resources::{EphemeralResources, ResourceType};
use crate::schema::{Types, empty};
use crate::value::Config;

type Answer<T> = Result<Response<T>, Status>;

/// A provider without a configuration, of ephemeral resources only.
#[derive(Clone)]
pub(crate) struct Provider {
    resources: Arc<dyn EphemeralResources>,
    options: Arc<Options>,
    leases: Arc<Leases>,
    types: Arc<OnceCell<Types>>,
}

impl Provider {
    pub(crate) fn new(
        resources: Arc<dyn EphemeralResources>,
        options: Arc<Options>,
        leases: Arc<Leases>,
    ) -> Self {
        Self {
            resources,
            options,
            leases,
            types: Arc::default(),
        }
    }

    async fn types(&self) -> Result<&Types, Vec<Diagnostic>> {
        let ask = || async {
            let resources = Arc::clone(&self.resources);
            let types = blocking(move || resources.types()).await?;
            Ok(Types::new(&self.options.provider_name, types))
        };
        self.types.get_or_try_init(ask).await
    }

    /// The type of that full name.
    async fn resource_type(&self, full_name: &str) -> Result<&ResourceType, Vec<Diagnostic>> {
        self.types().await?.find(full_name).ok_or_else(|| {
            let summary = format!("There is no ephemeral resource `{full_name}`");
            vec![Diagnostic::error(summary, "")]
        })
    }

    async fn validate(
        &self,
        request: validate_resource::Request,
    ) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let resource_type = self.resource_type(&request.type_name).await?;
        let config = Config::decode(request.config.as_ref(), &resource_type.attributes)
            .map_err(|error| vec![bad_config(&error)])?;
        let (resources, name) = (Arc::clone(&self.resources), resource_type.name.clone());
        blocking(move || resources.validate(&name, config.known())).await
    }

    async fn renew(&self, request: renew::Request) -> renew::Response {
        let token = request.private.unwrap_or_default();
        let renewed = match self.resource_type(&request.type_name).await {
            Ok(found) => self.leases.renew(&found.name, &token).await,
            Err(diagnostics) => {
                return renew::Response {
                    diagnostics: to_wire(diagnostics),
                    renew_at: None,
                    private: Some(token),
                };
            }
        };
        renew::Response {
            diagnostics: to_wire(renewed.diagnostics),
            renew_at: renewed.renew_at.map(Into::into),
            private: Some(renewed.token),
        }
    }

    async fn close(&self, request: close::Request) -> Vec<Diagnostic> {
        let token = request.private.unwrap_or_default();
        match self.resource_type(&request.type_name).await {
            Ok(found) => self.leases.close(&found.name, &token).await,
            Err(diagnostics) => diagnostics,
        }
    }
}

#[tonic::async_trait]
impl provider_server::Provider for Provider {
    async fn get_provider_schema(&self, _: Request<schema::Request>) -> Answer<schema::Response> {
        let mut response = schema::Response {
            provider: Some(empty()),
            ..schema::Response::default()
        };
        match self.types().await {
            Ok(types) => response.ephemeral_resource_schemas = types.schemas(),
            Err(diagnostics) => response.diagnostics = to_wire(diagnostics),
        }
        Ok(Response::new(response))
    }

    async fn validate_provider_config(
        &self,
        _: Request<validate::Request>,
    ) -> Answer<validate::Response> {
        Ok(Response::new(validate::Response::default()))
    }

    async fn configure_provider(
        &self,
        _: Request<configure::Request>,
    ) -> Answer<configure::Response> {
        Ok(Response::new(configure::Response::default()))
    }

    async fn validate_ephemeral_resource_config(
        &self,
        request: Request<validate_resource::Request>,
    ) -> Answer<validate_resource::Response> {
        let found = self.validate(request.into_inner()).await;
        let diagnostics = to_wire(found.unwrap_or_else(|failure| failure));
        Ok(Response::new(validate_resource::Response { diagnostics }))
    }

    async fn open_ephemeral_resource(
        &self,
        request: Request<open_resource::Request>,
    ) -> Answer<open_resource::Response> {
        let provider = self.clone();
        to_the_end(async move { provider.open(request.into_inner()).await }).await
    }

    async fn renew_ephemeral_resource(
        &self,
        request: Request<renew::Request>,
    ) -> Answer<renew::Response> {
        let provider = self.clone();
        to_the_end(async move { provider.renew(request.into_inner()).await }).await
    }

    async fn close_ephemeral_resource(
        &self,
        request: Request<close::Request>,
    ) -> Answer<close::Response> {
        let provider = self.clone();
        to_the_end(async move {
            let diagnostics = to_wire(provider.close(request.into_inner()).await);
            close::Response { diagnostics }
        })
        .await
    }

    /// The user has interrupted the run. The client may never close what is open.
    async fn stop_provider(&self, _: Request<stop::Request>) -> Answer<stop::Response> {
        let leases = Arc::clone(&self.leases);
        to_the_end(async move {
            leases.release().await;
            stop::Response::default()
        })
        .await
    }
}

/// Runs a call on when the client no longer waits for it.
///
/// # Errors
///
/// When it panics: a bug of this crate.
pub(super) async fn to_the_end<T: Send + 'static>(
    call: impl Future<Output = T> + Send + 'static,
) -> Answer<T> {
    let result = tokio::spawn(call).await;
    result
        .map(Response::new)
        .map_err(|_| Status::internal("the call failed unexpectedly"))
}

fn bad_config(error: &crate::value::DecodeError) -> Diagnostic {
    Diagnostic::error("The configuration cannot be read", error.to_string())
}

#[cfg(test)]
mod tests;
