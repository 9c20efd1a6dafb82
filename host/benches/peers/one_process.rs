//! Many calls in one process: time, memory, and threads.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use keyhost::component::cache::Cache;
use keyhost::engine::Engine;
use keyhost::plugins::error::CallError;
use keyhost::plugins::key_provider::KeyProviderComponent;

use crate::guests;
use crate::measure::median;

const CALLS: usize = 10_000;

pub(crate) fn table() -> anyhow::Result<String> {
    let mut table = format!(
        "### In one process: `provide` of `static`, a fresh instance for each call\n\n\
         {CALLS} calls on each thread; memory is what is resident after 1,000 calls and after all.\n\n\
         | memories | median µs a call | calls a second, 1 thread | with every processor | ratio | MiB |\n|---|---|---|---|---|---|\n"
    );
    for (name, engine) in [
        ("on demand", Engine::new()?),
        ("pooled", Engine::pooling()?),
    ] {
        let component = guests::load("static", &engine, &Cache::none());
        let processors = thread::available_parallelism()?.get();
        let mut times = calls(&component, 1_000)?;
        let before = resident()?;
        let started = Instant::now();
        times.extend(calls(&component, CALLS)?);
        let one = CALLS as f64 / started.elapsed().as_secs_f64();
        let after = resident()?;
        let started = Instant::now();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..processors)
                .map(|_| scope.spawn(|| calls(&component, CALLS)))
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| match thread.join() {
                    Ok(times) => times.map(drop),
                    Err(_) => anyhow::bail!("a thread panicked"),
                })
        })?;
        let all = (processors * CALLS) as f64 / started.elapsed().as_secs_f64();
        table.push_str(&format!(
            "| {name} | {:.1} | {one:.0} | {all:.0} | {:.2} | {before:.1} to {after:.1} |\n",
            median(times.iter().map(|time| time.as_secs_f64() * 1e6)),
            all / one,
        ));
    }
    Ok(table)
}

fn calls(component: &KeyProviderComponent, count: usize) -> anyhow::Result<Vec<Duration>> {
    let settings = guests::static_settings();
    (0..count)
        .map(|_| {
            let started = Instant::now();
            component.provide::<CallError>(&settings, |_| Ok(None))?;
            Ok(started.elapsed())
        })
        .collect()
}

/// The resident memory of this process in MiB.
fn resident() -> anyhow::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("no VmRSS")?;
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes / 1024.0)
}
