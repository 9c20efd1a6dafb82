//! The guests that the benches call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use keyhost::component::Request;
use keyhost::component::cache::Cache;
use keyhost::engine::Engine;
use keyhost::limits::Limits;
use keyhost::log::{Level, LogSink};
use keyhost::plugins::key_provider::KeyProviderComponent;
use keyhost::plugins::settings::Settings;
use keyhost::secret::Secret;

struct NoLog;

impl LogSink for NoLog {
    fn record(&self, _: &str, _: Level, _: &str) {}
}

/// The path of a guest that `make guests` built.
pub(crate) fn path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/guests")
        .join(format!("{name}.wasm"));
    assert!(
        path.exists(),
        "{} is missing: run `make guests`",
        path.display()
    );
    path.canonicalize().expect("path")
}

/// Loads a guest with the default limits.
pub(crate) fn load(name: &str, engine: &Engine, cache: &Cache) -> KeyProviderComponent {
    let (path, limits) = (path(name), Limits::default());
    load_with(engine, cache, &Request::new(&path, &limits))
}

pub(crate) fn load_with(
    engine: &Engine,
    cache: &Cache,
    request: &Request<'_>,
) -> KeyProviderComponent {
    KeyProviderComponent::load(engine, cache, "guest", request, Arc::new(NoLog)).expect("component")
}

pub(crate) fn static_settings() -> Settings {
    let key = "6f6f706830656f67686f6834616872756f3751756165686565796f6f72653169";
    Settings {
        secrets: vec![("key".to_owned(), Secret::from(key.to_owned()))],
        ..Settings::default()
    }
}
