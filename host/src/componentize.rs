//! From a core module to a component.

use wasmparser::{Encoding, Parser, Payload};
use wit_component::ComponentEncoder;

/// A module does not become a component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentizeError {
    /// It is one already.
    #[error("it is a component already")]
    AlreadyComponent,
    /// Not WebAssembly, or damaged.
    #[error("it is no WebAssembly module: {0}")]
    Malformed(String),
    /// The module carries no description of its world.
    #[error(
        "it has no component-type section: build it with bindings generated from wit/ (wit-bindgen), world key-provider-plugin"
    )]
    NoTypeInformation,
    /// The module does not fit its world.
    #[error("it does not fit its world: {0}")]
    Unfit(String),
}

/// Wraps a core module, built with bindings of the contract, in a component.
///
/// # Errors
/// [`ComponentizeError`].
pub fn componentize(module: &[u8]) -> Result<Vec<u8>, ComponentizeError> {
    let described = look(module)?;
    if !described {
        return Err(ComponentizeError::NoTypeInformation);
    }
    let unfit = |error: anyhow::Error| {
        let chain: Vec<_> = error.chain().map(ToString::to_string).collect();
        ComponentizeError::Unfit(crate::guest_text::fit(&chain.join(": ")))
    };
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .map_err(unfit)?
        .encode()
        .map_err(unfit)
}

/// Whether a module carries type information.
fn look(module: &[u8]) -> Result<bool, ComponentizeError> {
    let mut described = false;
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| {
            let text = format!("{} at byte {}", error.message(), error.offset());
            ComponentizeError::Malformed(text)
        })?;
        match payload {
            Payload::Version {
                encoding: Encoding::Component,
                ..
            } => return Err(ComponentizeError::AlreadyComponent),
            Payload::CustomSection(section) => {
                described |= section.name().starts_with("component-type");
            }
            _ => {}
        }
    }
    Ok(described)
}

#[cfg(test)]
mod tests {
    use super::{ComponentizeError, componentize};

    #[test]
    fn says_what_is_missing() {
        assert_eq!(
            componentize(b"\0asm\x01\0\0\0"),
            Err(ComponentizeError::NoTypeInformation)
        );
        assert_eq!(
            componentize(b"\0asm\x0d\0\x01\0"),
            Err(ComponentizeError::AlreadyComponent)
        );
        for bytes in [b"".as_slice(), b"\0as", b"hello, world"] {
            assert!(matches!(
                componentize(bytes),
                Err(ComponentizeError::Malformed(_))
            ));
        }
    }
}
