//! Components, compiled and loaded, and calls of them on fresh instances.

mod guests;

use divan::Bencher;
use keyhost::component::cache::Cache;
use keyhost::engine::Engine;
use keyhost::plugins::error::CallError;
use keyhost::plugins::key_provider::KeyProviderComponent;

fn main() {
    divan::main();
}

/// As a command has it that makes a few calls, and as one that makes many.
#[derive(Clone, Copy, Debug)]
enum Memories {
    OnDemand,
    Pooled,
}

const MEMORIES: [Memories; 2] = [Memories::OnDemand, Memories::Pooled];

fn loaded(memories: Memories) -> KeyProviderComponent {
    let engine = match memories {
        Memories::OnDemand => Engine::new(),
        Memories::Pooled => Engine::pooling(),
    };
    guests::load("static", &engine.expect("engine"), &Cache::none())
}

#[divan::bench]
fn start_the_engine() -> Engine {
    Engine::new().expect("engine")
}

/// With compilation.
#[divan::bench(args = ["static", "pbkdf2"], sample_count = 20)]
fn load_cold(bencher: Bencher<'_, '_>, name: &str) {
    let engine = Engine::new().expect("engine");
    bencher.bench(|| guests::load(name, &engine, &Cache::none()));
}

/// From the compile cache.
#[divan::bench(args = ["static", "pbkdf2"])]
fn load_warm(bencher: Bencher<'_, '_>, name: &str) {
    let engine = Engine::new().expect("engine");
    let directory = tempfile::tempdir().expect("directory");
    let cache = Cache::new(directory.path().join("cache"), Box::new(|_| {}));
    guests::load(name, &engine, &cache);
    bencher.bench(|| guests::load(name, &engine, &cache));
}

/// Instantiation, and the cheapest call.
#[divan::bench(args = MEMORIES)]
fn describe(bencher: Bencher<'_, '_>, memories: Memories) {
    let component = loaded(memories);
    bencher.bench(|| component.describe().expect("descriptor"));
}

/// Instantiation, `build`, `keeps-metadata` and `provide`.
#[divan::bench(args = MEMORIES, threads = [1, 2])]
fn provide(bencher: Bencher<'_, '_>, memories: Memories) {
    let component = loaded(memories);
    let settings = guests::static_settings();
    bencher.bench(|| {
        component
            .provide::<CallError>(&settings, |_| Ok(None))
            .expect("keys")
    });
}

#[divan::bench(args = MEMORIES)]
fn provide_with_metadata(bencher: Bencher<'_, '_>, memories: Memories) {
    let component = loaded(memories);
    let settings = guests::static_settings();
    bencher.bench(|| {
        let metadata = |_| Ok(Some(r#"{"magic":"Hello world!"}"#.to_owned()));
        component
            .provide::<CallError>(&settings, metadata)
            .expect("keys")
    });
}
