//! Opening a resource: from its configuration to the object that the client gets.

use super::{Provider, bad_config};
use crate::diagnostic::{Diagnostic, to_wire};
use crate::proto::tfplugin6::deferred::Reason;
use crate::proto::tfplugin6::open_ephemeral_resource::{Request, Response};
use crate::proto::tfplugin6::{Deferred, DynamicValue};
use crate::resources::ResourceType;
use crate::value::{Config, ResultError, opened, undecided};

impl Provider {
    pub(super) async fn open(&self, request: Request) -> Response {
        let result = self.try_open(request).await;
        result.unwrap_or_else(|diagnostics| Response {
            diagnostics: to_wire(diagnostics),
            ..Response::default()
        })
    }

    async fn try_open(&self, request: Request) -> Result<Response, Vec<Diagnostic>> {
        let resource_type = self.resource_type(&request.type_name).await?;
        let attributes = &resource_type.attributes;
        let config = Config::decode(request.config.as_ref(), attributes)
            .map_err(|error| vec![bad_config(&error)])?;
        if !config.unknown().is_empty() {
            let may_defer = request
                .client_capabilities
                .is_some_and(|client| client.deferral_allowed);
            return if may_defer {
                deferred(undecided(attributes, &config))
            } else {
                Err(config
                    .unknown()
                    .iter()
                    .map(|name| not_known(name))
                    .collect())
            };
        }
        self.open_known(resource_type, &config).await
    }

    async fn open_known(
        &self,
        resource_type: &ResourceType,
        config: &Config,
    ) -> Result<Response, Vec<Diagnostic>> {
        let name = &resource_type.name;
        let lease = self.leases.open(name, config.known().clone()).await?;
        match opened(&resource_type.attributes, config, &lease.values) {
            Ok(object) => Ok(Response {
                diagnostics: Vec::new(),
                renew_at: lease.renew_at.map(Into::into),
                result: Some(object),
                private: Some(lease.token),
                deferred: None,
            }),
            Err(error) => {
                // The client closes nothing whose open failed.
                let mut diagnostics = vec![bad_result(&error)];
                diagnostics.extend(self.leases.close(name, &lease.token).await);
                Err(diagnostics)
            }
        }
    }
}

fn deferred(object: Result<DynamicValue, ResultError>) -> Result<Response, Vec<Diagnostic>> {
    Ok(Response {
        result: Some(object.map_err(|error| vec![bad_result(&error)])?),
        deferred: Some(Deferred {
            reason: Reason::ResourceConfigUnknown.into(),
        }),
        ..Response::default()
    })
}

fn not_known(attribute: &str) -> Diagnostic {
    Diagnostic::error(
        "The configuration is not known yet",
        "The resource can be opened only when all its arguments are known.",
    )
    .about(attribute)
}

fn bad_result(error: &ResultError) -> Diagnostic {
    Diagnostic::error("The provider gave wrong values", error.to_string())
}
