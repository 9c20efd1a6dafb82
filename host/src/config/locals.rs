//! `locals` blocks: values that are evaluated when something refers to them, and
//! not before.

use std::collections::BTreeMap;

use super::document::{Body, Expression};
use super::source::ConfigError;
use super::sources::Sources;

/// Reads every block: the expressions by name.
pub(super) fn locals(
    sources: &Sources,
    body: &Body,
) -> Result<BTreeMap<String, Expression>, ConfigError> {
    let mut locals = BTreeMap::new();
    let blocks = body.blocks("locals");
    for attribute in blocks.flat_map(|block| &block.body.attributes) {
        let name = attribute.name.clone();
        if locals.insert(name, attribute.value.clone()).is_some() {
            let message = format!("the local value \"{}\" is defined twice", attribute.name);
            return Err(sources.error(&attribute.span, message));
        }
    }
    Ok(locals)
}
