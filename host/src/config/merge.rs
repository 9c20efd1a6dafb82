//! Making one body of several files', as OpenTofu does: primary files stand side
//! by side, and what overrides them is merged into them attribute by attribute.

use super::document::{Attribute, Block, Body};

/// Brings a body into the form that is merged: `encryption` blocks stand at the
/// top, and all local values in one block.
pub(super) fn normalise(body: &mut Body) {
    let mut normal = Vec::new();
    let mut locals: Option<Block> = None;
    for mut block in std::mem::take(&mut body.blocks) {
        match block.name.as_str() {
            "terraform" => {
                let inside = block.body.blocks.into_iter();
                normal.extend(inside.filter(|block| block.name == "encryption"));
            }
            "locals" => match &mut locals {
                Some(locals) => locals.body.attributes.append(&mut block.body.attributes),
                None => locals = Some(block),
            },
            _ => normal.push(block),
        }
    }
    normal.extend(locals);
    body.blocks = normal;
}

/// Puts another primary file beside those that there are.
pub(super) fn join(base: &mut Body, other: Body) {
    base.attributes.extend(other.attributes);
    base.blocks.extend(other.blocks);
}

/// Merges what overrides into a body: attributes replace attributes of the same
/// name, and blocks are merged into blocks of the same name and labels.
pub(super) fn override_with(base: &mut Body, over: Body) {
    for attribute in over.attributes {
        override_attribute(&mut base.attributes, attribute);
    }
    for block in over.blocks {
        override_block(&mut base.blocks, block);
    }
}

fn override_attribute(base: &mut Vec<Attribute>, over: Attribute) {
    match base.iter_mut().find(|base| base.name == over.name) {
        // What is enforced somewhere stays enforced, as in OpenTofu.
        Some(base) if base.name == "enforced" && is_true(base) => {}
        Some(base) => *base = over,
        None => base.push(over),
    }
}

fn is_true(attribute: &Attribute) -> bool {
    attribute.value.expression.as_bool() == Some(true)
}

fn override_block(base: &mut Vec<Block>, over: Block) {
    let same = |base: &&mut Block| base.name == over.name && base.labels == over.labels;
    match base.iter_mut().find(same) {
        // A chain of fallbacks counts as a whole.
        Some(base) if base.name == "fallback" => *base = over,
        Some(base) => override_with(&mut base.body, over.body),
        None => base.push(over),
    }
}
