//! From a core module of any toolchain to a component.

mod module;
mod stub;
mod world;

use std::path::Path;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::ComponentEncoder;

use crate::component::imports::Interface;
use crate::component::kind::PluginKind;
use crate::guest_text;
use module::Module;

/// How to make a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What the module is; else it is told by what it exports.
    pub kind: Option<PluginKind>,
    /// What becomes of what it imports of WASI's first preview.
    pub wasi: Wasi,
}

/// What becomes of imports of WASI's first preview (`wasi_snapshot_preview1`),
/// which most libraries of C want.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wasi {
    /// The component imports WASI 0.2 in their place, which every host shuts:
    /// clocks and random numbers work, and what is printed goes to the log.
    #[default]
    Shut,
    /// The component imports nothing: each call fails with "not supported", and
    /// an exit traps.
    Stubbed,
}

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
    /// Nothing says what it is to be.
    #[error(
        "it exports no function of the contract in wit/, such as {example}: generate bindings of wit/ and export what they declare"
    )]
    NoKind {
        /// A function that a key provider exports.
        example: String,
    },
    /// It is a program.
    #[error(
        "it is a program, and no library: it exports _start and nothing of the contract; compile it as a reactor (clang: -mexec-model=reactor), or without an entry (--no-entry)"
    )]
    Program,
    /// Functions of its world are not exported.
    #[error("it is no whole {kind}: it does not export {}", missing.join(", "))]
    MissingExports {
        /// What it is.
        kind: PluginKind,
        /// The names of the exports that it lacks.
        missing: Vec<String>,
    },
    /// It imports what nobody has.
    #[error(
        "it imports {} from \"{module}\", and a component can import interfaces of the contract and WASI alone: link what defines {}",
        names.join(", "),
        if names.len() == 1 { "it" } else { "them" }
    )]
    UnknownImports {
        /// The module that it imports from.
        module: String,
        /// What it imports.
        names: Vec<String>,
    },
    /// It was built for another world.
    #[error("it is no {wanted}, but {found}")]
    OtherKind {
        /// What it was to be.
        wanted: PluginKind,
        /// What it is.
        found: String,
    },
    /// The module does not fit its world.
    #[error("it does not fit its world: {0}")]
    Unfit(String),
}

/// Wraps a core module, built with bindings of the contract, in a component. The
/// module can carry a description of its world (a `component-type` section) or
/// not.
///
/// # Errors
/// [`ComponentizeError`].
pub fn componentize(bytes: &[u8], options: &Options) -> Result<Vec<u8>, ComponentizeError> {
    let module = Module::read(bytes)?;
    module.check_imports()?;
    let described = match module.described {
        true => bytes.to_vec(),
        false => world::describe(bytes, &module, options.kind)?,
    };
    let mut encoder = ComponentEncoder::default()
        .validate(true)
        .module(&described)
        .map_err(unfit)?;
    if module.imports_wasi() {
        let stub;
        let adapter = match options.wasi {
            Wasi::Shut => WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            Wasi::Stubbed => {
                stub = stub::adapter(&module)?;
                &stub
            }
        };
        encoder = encoder
            .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, adapter)
            .map_err(unfit)?;
    }
    let component = encoder.encode().map_err(unfit)?;
    check_kind(&component, options.kind)?;
    Ok(component)
}

fn unfit(error: anyhow::Error) -> ComponentizeError {
    let chain: Vec<_> = error.chain().map(ToString::to_string).collect();
    ComponentizeError::Unfit(guest_text::fit(&chain.join(": ")))
}

/// A module that brings its own description can describe anything.
fn check_kind(component: &[u8], wanted: Option<PluginKind>) -> Result<(), ComponentizeError> {
    let path = Path::new("it");
    let interface = Interface::of(path, component)
        .map_err(|error| ComponentizeError::Unfit(error.to_string()))?;
    match (interface.kind(path), wanted) {
        (Ok(found), Some(wanted)) if found != wanted => Err(ComponentizeError::OtherKind {
            wanted,
            found: format!("{} {found}", found.article()),
        }),
        (Ok(_), _) => Ok(()),
        (Err(_), Some(wanted)) => Err(ComponentizeError::OtherKind {
            wanted,
            found: "none of keyhost's kinds".to_owned(),
        }),
        (Err(_), None) => Err(world::no_kind()),
    }
}

#[cfg(test)]
mod tests;
