//! HCL's own syntax.

use hcl_edit::Span as _;
use hcl_edit::structure;

use super::document::{Attribute, Block, Body, Expression};
use super::source::{ConfigError, Source};

pub(super) fn parse(source: &Source) -> Result<Body, ConfigError> {
    let body: structure::Body =
        source
            .text()
            .parse()
            .map_err(|error: hcl_edit::parser::Error| {
                let place = error.location();
                let message = format!("not valid HCL: {}", error.message());
                source.error_at(place.line(), place.column(), message)
            })?;
    lower(source, &body)
}

fn lower(source: &Source, body: &structure::Body) -> Result<Body, ConfigError> {
    let mut lowered = Body::default();
    for structure in body {
        match structure {
            structure::Structure::Attribute(attribute) => {
                let attribute = lower_attribute(attribute);
                if lowered.attribute(&attribute.name).is_some() {
                    let message = format!("the argument \"{}\" is set twice", attribute.name);
                    return Err(source.error(&attribute.span, message));
                }
                lowered.attributes.push(attribute);
            }
            structure::Structure::Block(block) => lowered.blocks.push(Block {
                name: block.ident.as_str().to_owned(),
                labels: block
                    .labels
                    .iter()
                    .map(|label| label.as_str().to_owned())
                    .collect(),
                span: block.ident.span().unwrap_or_default(),
                body: lower(source, &block.body)?,
            }),
        }
    }
    Ok(lowered)
}

fn lower_attribute(attribute: &structure::Attribute) -> Attribute {
    let value = attribute.value.span().unwrap_or_default();
    let name = attribute.key.span().unwrap_or_default();
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
