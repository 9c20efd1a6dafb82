//! Thousands of calls in one process, which no other test shares.

#![allow(missing_docs)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use keyhost::component::Request;
use keyhost::component::cache::Cache;
use keyhost::engine::Engine;
use keyhost::limits::Limits;
use keyhost::log::{Level, LogSink};
use keyhost::plugins::error::CallError;
use keyhost::plugins::key_provider::KeyProviderComponent;
use keyhost::plugins::settings::Settings;
use keyhost::secret::Secret;

struct NoLog;

impl LogSink for NoLog {
    fn record(&self, _: &str, _: Level, _: &str) {}
}

const CALLS: usize = 10_000;

/// What memory may grow by over all calls, in bytes: less than a page a call
/// would make it.
const SLACK: u64 = 8 << 20;

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.expect("VmRSS").trim().trim_end_matches(" kB");
    kibibytes.parse::<u64>().expect("number") << 10
}

fn check(engine: &Engine) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests/static.wasm");
    assert!(
        path.exists(),
        "{} is missing: run `make guests`",
        path.display()
    );
    let limits = Limits::default();
    let request = Request::new(&path, &limits);
    let component =
        KeyProviderComponent::load(engine, &Cache::none(), "static", &request, Arc::new(NoLog))
            .expect("component");
    let key = Secret::from("00112233445566778899aabbccddeeff".to_owned());
    let settings = Settings {
        secrets: vec![("key".to_owned(), key)],
        ..Settings::default()
    };
    let provide = || {
        let provided = component
            .provide::<CallError>(&settings, |_| Ok(None))
            .expect("keys");
        assert_eq!(provided.keys.encryption_key.len(), 16);
    };
    (0..CALLS / 10).for_each(|_| provide());
    let before = resident();
    (0..CALLS).for_each(|_| provide());
    let grown = resident().saturating_sub(before);
    assert!(grown < SLACK, "memory grew by {grown} bytes");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..CALLS / 10).for_each(|_| provide()));
        }
    });
}

/// One after the other: both look at the memory of the process.
#[test]
fn keep_memory_flat_on_demand_and_in_a_pool() {
    check(&Engine::new().expect("engine"));
    check(&Engine::pooling().expect("engine"));
}
