//! Writing digests into a configuration, leaving everything else as it was.

use std::path::Path;

use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Body, Structure};
use hcl_edit::{Decorate, Decorated, Ident};
use jsonc_parser::cst::{CstInputValue, CstRootNode};

use super::json::STRICT;
use super::source::ConfigError;
use super::syntax::Syntax;
use crate::digest::Digest;

/// The text with the digest of each named component written into its block.
///
/// # Errors
/// [`ConfigError`] where the text has no such block.
pub fn pinned(
    text: &str,
    path: &Path,
    digests: &[(String, Digest)],
) -> Result<String, ConfigError> {
    match Syntax::of(path) {
        Syntax::Hcl => pinned_hcl(text, digests),
        Syntax::Json => pinned_json(text, digests),
    }
}

fn missing(name: &str) -> ConfigError {
    ConfigError::new(format!("there is no component \"{name}\" block to pin"))
}

fn pinned_hcl(text: &str, digests: &[(String, Digest)]) -> Result<String, ConfigError> {
    let mut body: Body = text
        .parse()
        .map_err(|_| ConfigError::new("the file is not valid HCL any more"))?;
    for (name, digest) in digests {
        let block = body
            .get_blocks_mut("component")
            .find(|block| block.has_exact_labels(&[name.as_str()]))
            .ok_or_else(|| missing(name))?;
        set_sha256(&mut block.body, &digest.to_string());
    }
    Ok(body.to_string())
}

fn set_sha256(body: &mut Body, digest: &str) {
    let value = Expression::from(digest);
    if let Some(mut attribute) = body.get_attribute_mut("sha256") {
        let decor = attribute.get().value.decor().clone();
        let mut value = value;
        *value.decor_mut() = decor;
        *attribute.value_mut() = value;
        return;
    }
    let mut key = Decorated::new(Ident::new("sha256"));
    let after = body.iter().position(|structure| {
        matches!(structure, Structure::Attribute(attribute) if attribute.has_key("path"))
    });
    key.decor_mut().set_suffix(" ");
    let mut attribute = Attribute::new(key, value);
    attribute.value.decor_mut().set_prefix(" ");
    if let Some(path) = body.get_attribute("path") {
        *attribute.decor_mut() = path.decor().clone();
    }
    body.insert(after.map_or(0, |position| position + 1), attribute);
}

fn pinned_json(text: &str, digests: &[(String, Digest)]) -> Result<String, ConfigError> {
    let root = CstRootNode::parse(text, &STRICT)
        .map_err(|_| ConfigError::new("the file is not valid JSON any more"))?;
    for (name, digest) in digests {
        let component = root
            .object_value()
            .and_then(|file| file.object_value("component"))
            .and_then(|components| components.object_value(name))
            .ok_or_else(|| missing(name))?;
        let value = CstInputValue::String(digest.to_string());
        match component.get("sha256") {
            Some(property) => property.set_value(value),
            None => {
                component.append("sha256", value);
            }
        }
    }
    Ok(root.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Digest, pinned};

    fn pin(text: &str, file: &str) -> String {
        let digests = [("a".to_owned(), Digest::of(b""))];
        pinned(text, Path::new(file), &digests).expect("pinned")
    }

    #[test]
    fn replaces_a_digest_and_keeps_the_rest() {
        let text = "# mine\ncomponent \"b\" {\n  path = \"b\"\n}\ncomponent \"a\" {\n  path   = \"a.wasm\" # here\n  sha256 = \"00\" # old\n}\n";
        let expected = text.replace("\"00\"", &format!("\"{}\"", Digest::of(b"")));
        assert_eq!(pin(text, "f.hcl"), expected);
    }

    #[test]
    fn adds_a_digest_after_the_path() {
        let text = "component \"a\" {\n  path = \"a.wasm\"\n  limits {\n    log = 5\n  }\n}\n";
        let digest = Digest::of(b"");
        let expected = text.replace("  limits", &format!("  sha256 = \"{digest}\"\n  limits"));
        assert_eq!(pin(text, "f.hcl"), expected);
    }

    #[test]
    fn writes_json_too() {
        let digest = Digest::of(b"");
        let text =
            "{\n  \"component\": {\n    \"a\": {\n      \"path\": \"a.wasm\"\n    }\n  }\n}\n";
        let added = pin(text, "f.json");
        assert!(
            added.contains(&format!(
                "\"path\": \"a.wasm\",\n      \"sha256\": \"{digest}\""
            )),
            "{added}"
        );
        assert_eq!(pin(&added, "f.json"), added);
    }
}
