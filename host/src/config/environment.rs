//! `TF_ENCRYPTION`: an `encryption` block in the environment, which OpenTofu
//! merges over that of the files.

use super::document::{Block, Body};
use super::layout::ENVIRONMENT;
use super::merge::normalise;
use super::source::{ConfigError, Source};
use super::syntax::Syntax;

/// The variable's name.
pub(super) const VARIABLE: &str = "TF_ENCRYPTION";

/// The variable's text. Errors show names in it at most: its values are secret.
pub(super) fn source(text: &str) -> Source {
    Source::secret(VARIABLE.to_owned(), text.to_owned())
}

/// Reads the variable, in either syntax, with or without the `encryption` block
/// and the `terraform` block around it.
pub(super) fn parse(source: &Source) -> Result<Body, ConfigError> {
    let syntax = if source.text().trim_start().starts_with('{') {
        Syntax::Json
    } else {
        Syntax::Hcl
    };
    let mut body = syntax.parse(source, &ENVIRONMENT)?;
    normalise(&mut body);
    let is_whole = |block: &Block| block.name == "encryption";
    let whole = body.blocks.iter().any(is_whole);
    if !whole {
        return Ok(Body {
            attributes: Vec::new(),
            blocks: vec![Block {
                name: "encryption".to_owned(),
                labels: Vec::new(),
                span: source.start..source.start,
                body,
            }],
        });
    }
    match body.blocks.iter().find(|block| !is_whole(block)) {
        None => Ok(body),
        Some(beside) => {
            let message = format!(
                "a {} block stands beside an encryption block here: it belongs inside",
                beside.name
            );
            Err(source.error(&beside.span, message))
        }
    }
}
