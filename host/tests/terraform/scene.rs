//! What each test starts with.

use crate::client::{Client, terraform};
use crate::helper::Helper;
use crate::proxy::Proxy;
use crate::registry::Registry;

/// A token that the registry of most tests demands.
pub(crate) const TOKEN: &str = "the-right-token";

pub(crate) const HOST: &str = "reg.example.test";
pub(crate) const HOST_WITH_PORT: &str = "reg.example.test:8443";

/// A registry and a client that reaches it, with the credentials helper.
pub(crate) struct Scene {
    pub(crate) client: Client,
    pub(crate) registry: Registry,
    _proxy: Proxy,
}

impl Scene {
    /// A registry that demands `token`, and a helper that knows none. Nothing
    /// where terraform is not installed.
    pub(crate) fn start(token: &str) -> Option<Self> {
        let mut scene = Self::without_helper(token)?;
        let helper = Helper::empty(scene.client.home());
        scene.client.install(Helper::NAME, helper);
        Some(scene)
    }

    /// The same, with a helper that fails.
    pub(crate) fn with_failing_helper(token: &str) -> Option<Self> {
        let mut scene = Self::without_helper(token)?;
        let helper = Helper::without_configuration(scene.client.home());
        scene.client.install(Helper::NAME, helper);
        Some(scene)
    }

    fn without_helper(token: &str) -> Option<Self> {
        let terraform = terraform()?;
        let registry = Registry::start(token);
        let proxy = Proxy::to(registry.address());
        Some(Self {
            client: Client::new(terraform, &registry, &proxy),
            registry,
            _proxy: proxy,
        })
    }
}
