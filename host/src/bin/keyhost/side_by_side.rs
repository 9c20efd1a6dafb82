//! The same work on many things, on several threads, with progress on a
//! terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

/// Works on every item, on up to `threads` at once. The results are in the order
/// of the items.
pub(crate) fn map<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    name: impl Fn(&I) -> String + Sync,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let progress = progress(items.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let take_items = || {
        while let Some((position, item)) = {
            let position = next.fetch_add(1, Ordering::Relaxed);
            items.get(position).map(|item| (position, item))
        } {
            progress.set_message(name(item));
            let result = work(item);
            progress.inc(1);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((position, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            // Without another thread, this one does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, take_items);
        }
        take_items();
    });
    progress.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Shown on a terminal, and for more than one item.
fn progress(items: usize) -> ProgressBar {
    if items < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(items as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let squares = map(&items, threads, u64::to_string, |item| item * item);
            assert_eq!(
                squares,
                items.iter().map(|item| item * item).collect::<Vec<_>>()
            );
        }
        assert!(map(&[], 3, u64::to_string, |item| *item).is_empty());
    }
}
