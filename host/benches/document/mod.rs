//! A document with a place for figures.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

/// Where the figures stand.
const BEGIN: &str = "<!-- figures -->\n";
const END: &str = "<!-- end of figures -->\n";

/// Replaces a document's figures.
pub(crate) fn replace(path: &Path, figures: &str) -> anyhow::Result<()> {
    let document = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let parts = document
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = parts else {
        bail!("{} has no place for figures", path.display());
    };
    let figures = figures.trim_end();
    fs::write(path, format!("{before}{BEGIN}\n{figures}\n\n{END}{after}"))?;
    Ok(())
}
