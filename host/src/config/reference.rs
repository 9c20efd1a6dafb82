//! Addresses, and the expressions that name them.

use std::fmt;

use hcl_edit::expr::{Expression, TraversalOperator};
use hcl_edit::template::Element;

use super::document;
use crate::descriptor::is_name;

/// The address of a key provider: `key_provider.TYPE.NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    kind: String,
    name: String,
}

impl Address {
    /// An address of a type and a name, both `[a-zA-Z_0-9-]+`.
    pub fn new(kind: &str, name: &str) -> Option<Self> {
        (is_name(kind) && is_name(name)).then(|| Self {
            kind: kind.to_owned(),
            name: name.to_owned(),
        })
    }

    /// The type, which is the name of a component.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The name that the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "key_provider.{}.{}", self.kind, self.name)
    }
}

/// The text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address has the form key_provider.TYPE.NAME, of letters, digits, _ and -")]
pub struct ParseAddressError;

impl std::str::FromStr for Address {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let path: Vec<&str> = text.split('.').collect();
        match path.as_slice() {
            ["key_provider", kind, name] => Self::new(kind, name).ok_or(ParseAddressError),
            _ => Err(ParseAddressError),
        }
    }
}

/// The dotted path that an expression spells, such as `method.aes_gcm.main`:
/// as itself, in a template of its own, or, in JSON, as a text.
pub(super) fn path(value: &document::Expression) -> Option<Vec<String>> {
    path_of(&value.expression, value.from_json)
}

fn path_of(expression: &Expression, from_json: bool) -> Option<Vec<String>> {
    match expression {
        Expression::Traversal(traversal) => {
            let mut path = vec![traversal.expr.as_variable()?.as_str().to_owned()];
            for operator in &traversal.operators {
                path.push(segment(operator.value())?);
            }
            Some(path)
        }
        Expression::Parenthesis(inner) => path_of(inner.inner(), false),
        Expression::StringTemplate(template) => {
            let mut elements = template.iter();
            match (elements.next(), elements.next()) {
                (Some(Element::Interpolation(only)), None) => path_of(&only.expr, false),
                _ => None,
            }
        }
        Expression::String(text) if from_json => {
            let path: Vec<_> = text.value().split('.').map(str::to_owned).collect();
            (path.len() > 1 && path.iter().all(|part| is_name(part))).then_some(path)
        }
        _ => None,
    }
}

fn segment(operator: &TraversalOperator) -> Option<String> {
    match operator {
        TraversalOperator::GetAttr(name) => Some(name.as_str().to_owned()),
        TraversalOperator::Index(index) => index.as_str().map(str::to_owned),
        _ => None,
    }
}

/// The address that an expression spells.
pub(super) fn address(value: &document::Expression) -> Option<Address> {
    path(value)?.join(".").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Address, address};
    use crate::config::document::Expression;

    fn read(text: &str, from_json: bool) -> Option<String> {
        let expression = text.parse().expect(text);
        let value = Expression {
            expression,
            span: 0..0,
            from_json,
        };
        address(&value).map(|address| address.to_string())
    }

    #[test]
    fn reads_every_spelling_of_a_reference() {
        let expected = Some("key_provider.static.a-b".to_owned());
        for text in [
            "key_provider.static.a-b",
            "(key_provider.static.a-b)",
            "\"${key_provider.static.a-b}\"",
            "key_provider[\"static\"].a-b",
        ] {
            assert_eq!(read(text, false), expected, "{text}");
        }
        assert_eq!(read("\"key_provider.static.a-b\"", true), expected);
    }

    #[test]
    fn refuses_what_is_no_reference() {
        for text in [
            "\"key_provider.static.a\"",
            "key_provider.static",
            "key_provider.a.b.c",
            "1",
            "f(1)",
        ] {
            assert_eq!(read(text, false), None, "{text}");
        }
        for text in [
            "\"key_provider.static.a b\"",
            "\"key_provider..a\"",
            "\"hello\"",
        ] {
            assert_eq!(read(text, true), None, "{text}");
        }
    }

    #[test]
    fn an_address_has_no_path_in_it() {
        assert!("key_provider.pbkdf2.main".parse::<Address>().is_ok());
        for text in [
            "pbkdf2.main",
            "key_provider.../x.y",
            "key_provider.a/b.c",
            "key_provider.ü.c",
            "",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
