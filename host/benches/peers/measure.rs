//! Contestants, run in turn, so that a machine that slows down slows all.

use std::fmt::Write;
use std::time::Duration;

use anyhow::Context;

type Run<'a> = Box<dyn FnMut() -> anyhow::Result<Duration> + 'a>;

/// One row of a comparison.
pub(crate) struct Contestant<'a> {
    name: String,
    run: Run<'a>,
    times: Vec<Duration>,
}

/// Contestants that do the same work; the first is what the others are
/// compared to.
pub(crate) struct Comparison<'a> {
    title: &'a str,
    contestants: Vec<Contestant<'a>>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(title: &'a str) -> Self {
        Self {
            title,
            contestants: Vec::new(),
        }
    }

    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        run: impl FnMut() -> anyhow::Result<Duration> + 'a,
    ) {
        self.contestants.push(Contestant {
            name: name.into(),
            run: Box::new(run),
            times: Vec::new(),
        });
    }

    /// Runs every contestant once to warm up and then so many times in turn.
    /// Returns a table in Markdown.
    pub(crate) fn run(mut self, rounds: usize) -> anyhow::Result<String> {
        for round in 0..=rounds {
            for contestant in &mut self.contestants {
                let time = (contestant.run)().with_context(|| contestant.name.clone())?;
                if round > 0 {
                    contestant.times.push(time);
                }
            }
        }
        Ok(self.table(rounds))
    }

    fn table(&self, rounds: usize) -> String {
        let mut table = format!(
            "### {}\n\n{rounds} rounds.\n\n| | median ms | least ms | difference ms | ratio |\n|---|---|---|---|---|\n",
            self.title
        );
        let first = &self.contestants[0].times;
        for contestant in &self.contestants {
            let pairs = || contestant.times.iter().zip(first);
            let differences =
                pairs().map(|(time, first)| milliseconds(*time) - milliseconds(*first));
            let ratios = pairs().map(|(time, first)| milliseconds(*time) / milliseconds(*first));
            let times = contestant.times.iter().copied().map(milliseconds);
            let _ = writeln!(
                table,
                "| {} | {:.2} | {:.2} | {:+.2} | {:.3} |",
                contestant.name,
                median(times.clone()),
                times.fold(f64::INFINITY, f64::min),
                median(differences),
                median(ratios),
            );
        }
        table
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The middle one; of an even number, the mean of the two in the middle.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => f64::NAN,
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}
