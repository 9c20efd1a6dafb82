//! Blocks and attributes, the same from HCL and from JSON.

use hcl_edit::expr;

use super::source::Span;

/// The inside of a block, or of a file.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) attributes: Vec<Attribute>,
    pub(super) blocks: Vec<Block>,
}

/// `name = value`.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// Name and value.
    pub(super) span: Span,
    pub(super) value: Expression,
}

/// A value that is not evaluated yet.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) expression: expr::Expression,
    pub(super) span: Span,
    /// JSON has no syntax for references: a text may be one.
    pub(super) from_json: bool,
}

/// `name "label" { … }`.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) labels: Vec<String>,
    /// The block's name, or what stands for it.
    pub(super) span: Span,
    pub(super) body: Body,
}

/// A block whose attributes a component declares, not yet decoded.
#[derive(Debug)]
pub(super) struct DeclaredBlock {
    pub(super) attributes: Vec<Attribute>,
    pub(super) span: Span,
}

impl From<&Block> for DeclaredBlock {
    fn from(block: &Block) -> Self {
        Self {
            attributes: block.body.attributes.clone(),
            span: block.span.clone(),
        }
    }
}

impl Body {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    pub(super) fn blocks<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| block.name == name)
    }
}
