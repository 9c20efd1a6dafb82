//! Which of the two syntaxes a file is written in.

use std::path::Path;

use super::document::Body;
use super::layout::Layout;
use super::source::{ConfigError, Source};
use super::{hcl, json};

/// A syntax of configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// HCL's own syntax.
    Hcl,
    /// HCL's JSON syntax.
    Json,
}

impl Syntax {
    /// The syntax of a file, by its name: JSON where it ends in `.json`.
    pub fn of(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension == "json" => Self::Json,
            _ => Self::Hcl,
        }
    }

    /// Reads a source and checks its layout.
    pub(super) fn parse(self, source: &Source, layout: &Layout) -> Result<Body, ConfigError> {
        let body = match self {
            Self::Hcl => hcl::parse(source, layout)?,
            Self::Json => json::parse(source, layout)?,
        };
        layout.check(source, &body)?;
        Ok(body)
    }
}

/// Reads a file's source in the syntax that its name says.
pub(super) fn parse(source: &Source, path: &Path, layout: &Layout) -> Result<Body, ConfigError> {
    Syntax::of(path).parse(source, layout)
}
