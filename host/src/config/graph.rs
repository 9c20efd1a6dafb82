//! The order of what refers to each other, found before any of it is asked or
//! evaluated.

use std::collections::BTreeSet;
use std::fmt::Display;

/// References form no order: the way round, which ends where it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle<T>(pub Vec<T>);

impl<T: Display> Display for Cycle<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path: Vec<_> = self.0.iter().map(T::to_string).collect();
        formatter.write_str(&path.join(" → "))
    }
}

/// The start and all that it refers to, each after what it refers to itself.
///
/// `references` gives the direct references of one.
pub(super) fn order<T: Clone + Ord, E>(
    start: &T,
    mut references: impl FnMut(&T) -> Result<Vec<T>, E>,
    cycle: impl Fn(&T, Cycle<T>) -> E,
) -> Result<Vec<T>, E> {
    let mut done: Vec<T> = Vec::new();
    let mut seen = BTreeSet::from([start.clone()]);
    // Each entry: one on the way down, and what of it is left to visit.
    let mut way = vec![(start.clone(), references(start)?.into_iter())];
    while let Some((one, rest)) = way.last_mut() {
        let Some(next) = rest.next() else {
            done.push(one.clone());
            way.pop();
            continue;
        };
        if !seen.insert(next.clone()) {
            let Some(position) = way.iter().position(|(one, _)| *one == next) else {
                continue;
            };
            let mut path: Vec<_> = way[position..].iter().map(|(one, _)| one.clone()).collect();
            path.push(next.clone());
            let last = path[path.len() - 2].clone();
            return Err(cycle(&last, Cycle(path)));
        }
        let below = references(&next)?.into_iter();
        way.push((next, below));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::{Cycle, order};
    use crate::config::reference::Address;

    fn address(name: &str) -> Address {
        Address::new("t", name).expect("name")
    }

    fn ordered(edges: &[(&str, &[&str])]) -> Result<String, Cycle<Address>> {
        let references = |of: &Address| {
            let found = edges.iter().find(|(from, _)| *from == of.name());
            Ok(found.map_or_else(Vec::new, |(_, to)| {
                to.iter().map(|name| address(name)).collect()
            }))
        };
        let order = order(&address("a"), references, |_, cycle| cycle)?;
        Ok(order.iter().map(Address::name).collect())
    }

    #[test]
    fn everything_comes_once_after_what_it_needs() {
        assert_eq!(
            ordered(&[("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"])]),
            Ok("dbca".to_owned())
        );
        assert_eq!(ordered(&[]), Ok("a".to_owned()));
    }

    #[test]
    fn a_cycle_is_told_with_its_whole_path() {
        let cycle = ordered(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]).expect_err("cycle");
        let path = "key_provider.t.b → key_provider.t.c → key_provider.t.b";
        assert_eq!(cycle.to_string(), path);
        assert!(ordered(&[("a", &["a"])]).is_err());
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let references = |of: &Address| {
            let number: u32 = of.name().parse().expect("number");
            let next = (number < 5_000).then(|| address(&(number + 1).to_string()));
            Ok::<_, Cycle<Address>>(next.into_iter().collect())
        };
        let order = order(&address("0"), references, |_, cycle| cycle).expect("order");
        assert_eq!(order.len(), 5_001);
    }
}
