//! How to serve.

use std::time::Duration;

/// What [`serve`](crate::serve) needs to know besides the resources.
pub struct Options {
    /// The provider's name, as in `terraform-provider-NAME`: the prefix of all types.
    pub provider_name: String,
    /// How long one close may take before it counts as failed. OpenTofu waits as
    /// long as the default for its own closes.
    pub close_time_limit: Duration,
    /// Told about failures that the client will not show, a line each.
    pub log: Box<dyn Fn(&str) + Send + Sync>,
}

impl Options {
    /// Closes within 10 s, no log.
    pub fn new(provider_name: impl Into<String>) -> Self {
        Self {
            provider_name: provider_name.into(),
            close_time_limit: Duration::from_secs(10),
            log: Box::new(|_| ()),
        }
    }
}
