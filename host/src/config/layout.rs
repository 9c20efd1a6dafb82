//! Which blocks and attributes stand where: read by the JSON reader, which
//! cannot tell a block from an object otherwise, and checked for both syntaxes.

use super::document::{Block, Body};
use super::source::{ConfigError, Source};

/// The layout of a body.
pub(super) struct Layout {
    pub(super) attributes: Attributes,
    pub(super) blocks: &'static [BlockLayout],
}

/// Which attributes a body has.
pub(super) enum Attributes {
    /// These.
    Known(&'static [&'static str]),
    /// These; others, and other blocks, are not ours: they are neither read nor
    /// judged.
    Only(&'static [&'static str]),
    /// Whatever a guest declares.
    Any,
}

/// A block and its inside.
pub(super) struct BlockLayout {
    pub(super) name: &'static str,
    pub(super) labels: &'static [&'static str],
    pub(super) once: bool,
    pub(super) body: &'static Layout,
}

const fn block(
    name: &'static str,
    labels: &'static [&'static str],
    once: bool,
    body: &'static Layout,
) -> BlockLayout {
    BlockLayout {
        name,
        labels,
        once,
        body,
    }
}

/// The operator's file.
pub(super) static FILE: Layout = Layout {
    attributes: Attributes::Known(&[]),
    blocks: &[
        block("component", &["type"], false, &COMPONENT),
        block("variable", &["name"], false, &VARIABLE),
        block("locals", &[], false, &ATTRIBUTES),
        block("storage", &["type"], true, &ATTRIBUTES),
        block("credentials_helper", &["type"], false, &ATTRIBUTES),
        block("ephemeral_resource", &["type", "name"], false, &ATTRIBUTES),
        block("encryption", &[], true, &ENCRYPTION),
        block("terraform", &[], false, &TERRAFORM),
    ],
};

/// A file of an OpenTofu module.
pub(super) static MODULE_FILE: Layout = Layout {
    attributes: Attributes::Only(&[]),
    blocks: &[
        block("variable", &["name"], false, &MODULE_VARIABLE),
        block("locals", &[], false, &ATTRIBUTES),
        block("terraform", &[], false, &TERRAFORM),
    ],
};

/// What an environment variable says of encryption: a file with an `encryption`
/// block, or the inside of one.
pub(super) static ENVIRONMENT: Layout = Layout {
    attributes: Attributes::Known(&[]),
    blocks: &[
        block("encryption", &[], true, &ENCRYPTION),
        block("terraform", &[], false, &TERRAFORM),
        KEY_PROVIDER,
        METHOD,
        STATE,
        PLAN,
        REMOTE,
    ],
};

/// A file of variables' values.
pub(super) static VARIABLES_FILE: Layout = ANY;

const ANY: Layout = Layout {
    attributes: Attributes::Any,
    blocks: &[],
};

static ATTRIBUTES: Layout = ANY;

static COMPONENT: Layout = Layout {
    attributes: Attributes::Known(&["path", "sha256"]),
    blocks: &[
        block("grants", &[], true, &ATTRIBUTES),
        block("limits", &[], true, &ATTRIBUTES),
    ],
};

static VARIABLE: Layout = Layout {
    attributes: Attributes::Known(&[
        "type",
        "default",
        "sensitive",
        "description",
        "nullable",
        "ephemeral",
        "deprecated",
    ]),
    blocks: &[block("validation", &[], false, &SKIPPED)],
};

static MODULE_VARIABLE: Layout = Layout {
    attributes: Attributes::Only(&["type", "default"]),
    blocks: &[],
};

static SKIPPED: Layout = Layout {
    attributes: Attributes::Only(&[]),
    blocks: &[],
};

static TERRAFORM: Layout = Layout {
    attributes: Attributes::Only(&[]),
    blocks: &[block("encryption", &[], true, &ENCRYPTION)],
};

static ENCRYPTION: Layout = Layout {
    attributes: Attributes::Known(&[]),
    blocks: &[KEY_PROVIDER, METHOD, STATE, PLAN, REMOTE],
};

const KEY_PROVIDER: BlockLayout = block("key_provider", &["type", "name"], false, &ATTRIBUTES);
const METHOD: BlockLayout = block("method", &["type", "name"], false, &ATTRIBUTES);
const STATE: BlockLayout = block("state", &[], true, &ENFORCED_TARGET);
const PLAN: BlockLayout = block("plan", &[], true, &ENFORCED_TARGET);
const REMOTE: BlockLayout = block("remote_state_data_sources", &[], true, &REMOTE_STATES);

static ENFORCED_TARGET: Layout = Layout {
    attributes: Attributes::Known(&["method", "enforced"]),
    blocks: &[block("fallback", &[], true, &TARGET)],
};

static TARGET: Layout = Layout {
    attributes: Attributes::Known(&["method"]),
    blocks: &[block("fallback", &[], true, &TARGET)],
};

static REMOTE_STATES: Layout = Layout {
    attributes: Attributes::Known(&[]),
    blocks: &[
        block("default", &[], true, &TARGET),
        block("remote_state_data_source", &["name"], false, &TARGET),
    ],
};

impl Layout {
    pub(super) fn block(&self, name: &str) -> Option<&'static BlockLayout> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// Whether an attribute, or a block that is none of these, is not ours.
    pub(super) fn skips(&self, name: &str) -> bool {
        match self.attributes {
            Attributes::Only(names) => !names.contains(&name),
            Attributes::Known(_) | Attributes::Any => false,
        }
    }

    /// The layout of what is refused: all of it is read, and told of.
    pub(super) fn unknown() -> &'static Self {
        &ATTRIBUTES
    }

    /// Checks a body and everything in it.
    pub(super) fn check(&self, source: &Source, body: &Body) -> Result<(), ConfigError> {
        for attribute in &body.attributes {
            if let Attributes::Known(names) = self.attributes
                && !names.contains(&attribute.name.as_str())
            {
                let known = names
                    .iter()
                    .copied()
                    .chain(self.blocks.iter().map(|block| block.name));
                let message = format!(
                    "an argument named \"{}\" is not expected here, only {}",
                    attribute.name,
                    known.collect::<Vec<_>>().join(", ")
                );
                return Err(source.error(&attribute.span, message));
            }
        }
        for (position, block) in body.blocks.iter().enumerate() {
            self.check_block(source, block)?;
            let earlier = body.blocks[..position]
                .iter()
                .any(|other| other.name == block.name);
            if earlier && self.block(&block.name).is_some_and(|layout| layout.once) {
                let message = format!("only one {} block is allowed here", block.name);
                return Err(source.error(&block.span, message));
            }
        }
        Ok(())
    }

    fn check_block(&self, source: &Source, block: &Block) -> Result<(), ConfigError> {
        let Some(layout) = self.block(&block.name) else {
            if self.blocks.is_empty() {
                return Err(source.error(&block.span, "blocks are not allowed here"));
            }
            let known: Vec<_> = self.blocks.iter().map(|block| block.name).collect();
            let message = format!(
                "blocks of type \"{}\" are not expected here, only {}",
                block.name,
                known.join(", ")
            );
            return Err(source.error(&block.span, message));
        };
        if block.labels.len() != layout.labels.len() {
            let message = format!(
                "a {} block has {} labels ({}), not {}",
                block.name,
                layout.labels.len(),
                layout.labels.join(", "),
                block.labels.len()
            );
            return Err(source.error(&block.span, message));
        }
        layout.body.check(source, &block.body)
    }
}
