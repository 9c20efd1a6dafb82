//! Writing digests into a configuration, leaving every other byte as it was.

use std::ops::Range;
use std::path::Path;

use hcl_edit::Span as _;
use hcl_edit::structure::{Block, Body};
use jsonc_parser::CollectOptions;
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::json::STRICT;
use super::read::BYTE_ORDER_MARK;
use super::source::ConfigError;
use super::syntax::Syntax;
use crate::digest::Digest;

/// The attribute that is written.
const ATTRIBUTE: &str = "sha256";

/// A piece of text in the place of another.
struct Edit {
    place: Range<usize>,
    text: String,
}

/// The text with the digest of each named component written into its block.
///
/// # Errors
/// [`ConfigError`] where the text has no such block.
pub fn pinned(
    text: &str,
    path: &Path,
    digests: &[(String, Digest)],
) -> Result<String, ConfigError> {
    if let Some(unmarked) = text.strip_prefix(BYTE_ORDER_MARK) {
        let pinned = pinned(unmarked, path, digests)?;
        return Ok(format!("{BYTE_ORDER_MARK}{pinned}"));
    }
    let mut edits = match Syntax::of(path) {
        Syntax::Hcl => hcl_edits(text, digests)?,
        Syntax::Json => json_edits(text, digests)?,
    };
    edits.sort_by_key(|edit| edit.place.start);
    let mut pinned = text.to_owned();
    for edit in edits.iter().rev() {
        pinned.replace_range(edit.place.clone(), &edit.text);
    }
    Ok(pinned)
}

fn missing(name: &str) -> ConfigError {
    ConfigError::new(format!(
        "there is no component \"{name}\" block with a path to pin"
    ))
}

fn hcl_edits(text: &str, digests: &[(String, Digest)]) -> Result<Vec<Edit>, ConfigError> {
    let body: Body = text
        .parse()
        .map_err(|_| ConfigError::new("the file is not valid HCL any more"))?;
    let edit = |(name, digest): &(String, Digest)| {
        let mut blocks = body.get_blocks("component");
        let block = blocks.find(|block| block.has_exact_labels(&[name.as_str()]));
        block
            .and_then(|block| hcl_edit(text, block, digest))
            .ok_or_else(|| missing(name))
    };
    digests.iter().map(edit).collect()
}

fn hcl_edit(text: &str, block: &Block, digest: &Digest) -> Option<Edit> {
    if let Some(attribute) = block.body.get_attribute(ATTRIBUTE) {
        return Some(Edit {
            place: attribute.value.span()?,
            text: format!("\"{digest}\""),
        });
    }
    let path = block.body.get_attribute("path")?;
    let (key, value) = (path.key.span()?, path.value.span()?);
    let line = text[..key.start]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let indent = &text[line..key.start];
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !indent.trim().is_empty() {
        // A block on one line holds one attribute: it gets lines of its own.
        let end = value.end + text[value.end..].find('}')?;
        let written = &text[key.start..value.end];
        let start = line + indent.trim_end().len();
        let text = format!("{newline}  {written}{newline}  {ATTRIBUTE} = \"{digest}\"{newline}");
        return Some(Edit {
            place: start..end,
            text,
        });
    }
    // After the line, with what stands behind the path on it.
    let end = text[value.end..]
        .find('\n')
        .map_or(text.len(), |newline| value.end + newline + 1);
    Some(Edit {
        place: end..end,
        text: format!("{indent}{ATTRIBUTE} = \"{digest}\"{newline}"),
    })
}

fn json_edits(text: &str, digests: &[(String, Digest)]) -> Result<Vec<Edit>, ConfigError> {
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &STRICT)
        .map_err(|_| ConfigError::new("the file is not valid JSON any more"))?;
    let files: Vec<_> = parsed.value.iter().flat_map(objects).collect();
    let edit = |(name, digest): &(String, Digest)| {
        let components = files.iter().flat_map(|file| properties(file, "component"));
        let mut blocks = components
            .flat_map(|property| objects(&property.value))
            .flat_map(|labels| properties(labels, name))
            .flat_map(|property| objects(&property.value));
        blocks
            .next()
            .and_then(|block| json_edit(text, block, digest))
            .ok_or_else(|| missing(name))
    };
    digests.iter().map(edit).collect()
}

/// An object, or all the objects of a list.
fn objects<'a, 'b>(value: &'b Value<'a>) -> Vec<&'b Object<'a>> {
    match value {
        Value::Object(object) => vec![object],
        Value::Array(array) => array.elements.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

fn properties<'a, 'b>(object: &'b Object<'a>, name: &str) -> Vec<&'b ObjectProp<'a>> {
    let properties = object.properties.iter();
    properties
        .filter(|property| property.name.as_str() == name)
        .collect()
}

fn json_edit(text: &str, block: &Object<'_>, digest: &Digest) -> Option<Edit> {
    if let Some(property) = properties(block, ATTRIBUTE).first() {
        let range = property.value.range();
        return Some(Edit {
            place: range.start..range.end,
            text: format!("\"{digest}\""),
        });
    }
    let path = properties(block, "path").first()?.range();
    // What stands before the path, stands before the digest, too.
    let before = text[..path.start]
        .trim_end_matches([' ', '\t', '\r', '\n'])
        .len();
    let space = &text[before..path.start];
    let space = if space.is_empty() { " " } else { space };
    Some(Edit {
        place: path.end..path.end,
        text: format!(",{space}\"{ATTRIBUTE}\": \"{digest}\""),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Digest, pinned};

    fn pin(text: &str, file: &str) -> String {
        let digests = [("a".to_owned(), Digest::of(b""))];
        pinned(text, Path::new(file), &digests).expect("pinned")
    }

    fn digest() -> String {
        Digest::of(b"").to_string()
    }

    #[test]
    fn replaces_a_digest_and_keeps_every_other_byte() {
        let text = "# \\u00e9 mine\r\ncomponent \"b\" {\n  path = \"\\u00e9\"\n}\ncomponent \"a\" {\r\n  path   = \"a.wasm\" # here\r\n  sha256 = \"00\" # old\r\n}\r\n";
        assert_eq!(
            pin(text, "f.hcl"),
            text.replace("\"00\"", &format!("\"{}\"", digest()))
        );
    }

    #[test]
    fn adds_a_digest_after_the_path() {
        let text = "component \"a\" {\n  # A.\n  path = \"a.wasm\" # here\n  limits {\n    log = 5\n  }\n}\n";
        let expected = text.replace(
            "  limits",
            &format!("  sha256 = \"{}\"\n  limits", digest()),
        );
        assert_eq!(pin(text, "f.hcl"), expected);
        assert_eq!(
            pin(&text.replace('\n', "\r\n"), "f.hcl"),
            expected.replace('\n', "\r\n")
        );
    }

    #[test]
    fn keeps_the_mark_at_the_beginning() {
        let text = "\u{feff}component \"a\" {\n  path = \"a.wasm\"\n  sha256 = \"\"\n}\n";
        let expected = text.replace("\"\"", &format!("\"{}\"", digest()));
        assert_eq!(pin(text, "f.hcl"), expected);
    }

    #[test]
    fn gives_a_block_on_one_line_lines_of_its_own() {
        let text = "component \"a\" { path = \"a.wasm\" }\n";
        let expected = format!(
            "component \"a\" {{\n  path = \"a.wasm\"\n  sha256 = \"{}\"\n}}\n",
            digest()
        );
        assert_eq!(pin(text, "f.hcl"), expected);
    }

    #[test]
    fn writes_json_in_every_form() {
        let with = |path: &str| {
            path.replace(
                "\"a.wasm\"",
                &format!("\"a.wasm\",\n      \"sha256\": \"{}\"", digest()),
            )
        };
        for text in [
            "{\n  \"component\": {\n    \"a\": {\n      \"path\": \"a.wasm\"\n    }\n  }\n}\n",
            "{\"component\": [{\"b\": {}}, {\"a\": [{\n      \"path\": \"a.wasm\"}]}]}",
            "{\"component\": {\"b\": {}}, \"component\": {\"a\": {\n      \"path\": \"a.wasm\"}}}",
        ] {
            assert_eq!(pin(text, "f.json"), with(text));
            assert_eq!(pin(&with(text), "f.json"), with(text));
        }
    }
}
