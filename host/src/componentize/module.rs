//! What a core module imports and exports.

use wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
use wasmparser::{CompositeInnerType, Encoding, FuncType, Parser, Payload, TypeRef};

use super::ComponentizeError;
use crate::component::imports;
use crate::guest_text;

/// The part of a core module that decides what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Whether it carries a description of its world.
    pub(super) described: bool,
    /// Its imports: from where, what, and the type of functions.
    pub(super) imports: Vec<(String, String, Option<FuncType>)>,
    /// The names of its exports.
    pub(super) exports: Vec<String>,
}

impl Module {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ComponentizeError> {
        let damaged = |error: wasmparser::BinaryReaderError| {
            ComponentizeError::Malformed(imports::damage(&error))
        };
        if !bytes.starts_with(imports::MAGIC) {
            let text = "it does not begin as WebAssembly does".to_owned();
            return Err(ComponentizeError::Malformed(text));
        }
        let mut module = Self::default();
        let mut types: Vec<Option<FuncType>> = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(damaged)? {
                Payload::Version {
                    encoding: Encoding::Component,
                    ..
                } => return Err(ComponentizeError::AlreadyComponent),
                Payload::CustomSection(section) => {
                    module.described |= section.name().starts_with("component-type");
                }
                Payload::TypeSection(section) => {
                    for group in section {
                        for subtype in group.map_err(damaged)?.into_types() {
                            types.push(match subtype.composite_type.inner {
                                CompositeInnerType::Func(function) => Some(function),
                                _ => None,
                            });
                        }
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import.map_err(damaged)?;
                        let function = match import.ty {
                            TypeRef::Func(index) => types.get(index as usize).cloned().flatten(),
                            _ => None,
                        };
                        let (from, name) = (import.module.to_owned(), import.name.to_owned());
                        module.imports.push((from, name, function));
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        module
                            .exports
                            .push(export.map_err(damaged)?.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(module)
    }

    /// Whether it wants WASI's first preview.
    pub(super) fn imports_wasi(&self) -> bool {
        self.wasi_functions().next().is_some()
    }

    /// The functions of WASI's first preview that it wants.
    pub(super) fn wasi_functions(&self) -> impl Iterator<Item = (&str, &FuncType)> {
        self.imports.iter().filter_map(|(from, name, function)| {
            let wasi = from == WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
            function
                .as_ref()
                .filter(|_| wasi)
                .map(|function| (name.as_str(), function))
        })
    }

    /// Refuses imports that no component can have: the names of interfaces have
    /// a colon, or one of the marks that bindings set.
    pub(super) fn check_imports(&self) -> Result<(), ComponentizeError> {
        let known = |from: &str| {
            from.contains(':')
                || from.starts_with('$')
                || from.starts_with("cm32p2")
                || from == WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME
        };
        let Some((from, _, _)) = self.imports.iter().find(|(from, _, _)| !known(from)) else {
            return Ok(());
        };
        let names = self.imports.iter().filter(|(other, _, _)| other == from);
        Err(ComponentizeError::UnknownImports {
            module: guest_text::fit(from),
            names: names
                .map(|(_, name, _)| guest_text::fit(name))
                .take(20)
                .collect(),
        })
    }
}
