//! HCL's own syntax.

use hcl_edit::structure;

use super::document::{Attribute, Block, Body, Expression};
use super::layout::Layout;
use super::source::{ConfigError, Source, Span};

pub(super) fn parse(source: &Source, layout: &Layout) -> Result<Body, ConfigError> {
    let body: structure::Body =
        source
            .text()
            .parse()
            .map_err(|error: hcl_edit::parser::Error| {
                let place = error.location();
                let message = format!("not valid HCL: {}", error.message());
                source.error_at(place.line(), place.column(), message)
            })?;
    lower(source, &body, layout)
}

fn lower(source: &Source, body: &structure::Body, layout: &Layout) -> Result<Body, ConfigError> {
    let mut lowered = Body::default();
    for structure in body {
        match structure {
            structure::Structure::Attribute(attribute) => {
                if layout.skips(attribute.key.as_str()) {
                    continue;
                }
                let attribute = lower_attribute(source, attribute);
                if lowered.attribute(&attribute.name).is_some() {
                    let message = format!("the argument \"{}\" is set twice", attribute.name);
                    return Err(source.error(&attribute.span, message));
                }
                lowered.attributes.push(attribute);
            }
            structure::Structure::Block(block) => {
                let name = block.ident.as_str();
                let inner = match layout.block(name) {
                    Some(block) => block.body,
                    None if layout.skips(name) => continue,
                    None => Layout::unknown(),
                };
                lowered.blocks.push(Block {
                    name: name.to_owned(),
                    labels: block
                        .labels
                        .iter()
                        .map(|label| label.as_str().to_owned())
                        .collect(),
                    span: span(source, &block.ident),
                    body: lower(source, &block.body, inner)?,
                });
            }
        }
    }
    Ok(lowered)
}

fn lower_attribute(source: &Source, attribute: &structure::Attribute) -> Attribute {
    let value = span(source, &attribute.value);
    let name = span(source, &attribute.key);
    Attribute {
        name: attribute.key.as_str().to_owned(),
        span: name.start..value.end,
        value: Expression {
            expression: attribute.value.clone(),
            span: value,
            from_json: false,
        },
    }
}

/// Where a part of the source stands among the configuration's texts.
fn span(source: &Source, part: &impl hcl_edit::Span) -> Span {
    let span = part.span().unwrap_or_default();
    source.start + span.start..source.start + span.end
}
