//! From a configuration's files to one body, all in the same form.

use std::path::Path;

use super::document::Body;
use super::layout::{FILE, Layout, MODULE_FILE};
use super::merge::{join, normalise, override_with};
use super::module::ModuleFiles;
use super::read::read;
use super::source::{ConfigError, Source};
use super::sources::Sources;
use super::syntax::Syntax;
use super::{encryption, environment};

/// Reads a file of keyhost's.
pub(super) fn file(sources: &mut Sources, path: &Path) -> Result<Body, ConfigError> {
    text(sources, read(path)?, Syntax::of(path))
}

/// Reads a text of keyhost's.
pub(super) fn text(
    sources: &mut Sources,
    source: Source,
    syntax: Syntax,
) -> Result<Body, ConfigError> {
    let mut body = syntax.parse(sources.add(source), &FILE)?;
    normalise(&mut body);
    Ok(body)
}

/// Reads a module, with keyhost's own file over it.
pub(super) fn module(sources: &mut Sources, files: &ModuleFiles) -> Result<Body, ConfigError> {
    let mut base = Body::default();
    for path in &files.primary {
        join(&mut base, parse(sources, path, &MODULE_FILE)?);
    }
    normalise(&mut base);
    check(sources, &base)?;
    for path in &files.overrides {
        let mut over = parse(sources, path, &MODULE_FILE)?;
        normalise(&mut over);
        check(sources, &over)?;
        override_with(&mut base, over);
    }
    if let Some(path) = &files.own {
        let over = file(sources, path)?;
        check(sources, &over)?;
        override_with(&mut base, over);
    }
    Ok(base)
}

/// Merges `TF_ENCRYPTION` over what the files say.
pub(super) fn environment(
    sources: &mut Sources,
    base: &mut Body,
    text: &str,
) -> Result<(), ConfigError> {
    let over = environment::parse(sources.add(environment::source(text)))?;
    check(sources, base)?;
    check(sources, &over)?;
    override_with(base, over);
    Ok(())
}

fn parse(sources: &mut Sources, path: &Path, layout: &Layout) -> Result<Body, ConfigError> {
    Syntax::of(path).parse(sources.add(read(path)?), layout)
}

/// What is merged has to be right in itself: two blocks of the same name would
/// become one.
fn check(sources: &Sources, body: &Body) -> Result<(), ConfigError> {
    encryption::encryption(sources, body).map(drop)
}
