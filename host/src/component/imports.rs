//! What a component imports and exports, read from the file before anything
//! of it is compiled.

use std::path::{Path, PathBuf};

use wasmparser::{Encoding, Parser, Payload};

use super::kind::PluginKind;
use crate::grants::Grants;
use crate::sandbox::wasi;

/// The interfaces of the contract that every kind may import.
const FREE_IMPORTS: [&str; 5] = [
    "keyhost:plugin/config@0.1.",
    "keyhost:plugin/credentials@0.1.",
    "keyhost:plugin/crypto@0.1.",
    "keyhost:plugin/log@0.1.",
    "keyhost:plugin/secrets@0.1.",
];

/// What tells the time, to kinds that are told.
const CLOCK_IMPORT: &str = "keyhost:plugin/clock@0.1.";

/// Each level can multiply the instances below it, and the compiler unfolds
/// them all: a file of a kilobyte could cost gigabytes.
const MAXIMUM_NESTING: u32 = 3;

/// Instances of components in a file, and of core modules.
const MAXIMUM_INSTANCES: u32 = 64;
const MAXIMUM_CORE_INSTANCES: u32 = 1_000;

/// The first bytes of modules and components.
pub(crate) const MAGIC: &[u8] = b"\0asm";

/// What the grant `storage` lets a component import.
const STORAGE_IMPORT: &str = "wasi:keyvalue/store@0.2.0-draft";

/// A file is no component of ours, or wants what was not granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterfaceError {
    /// Not WebAssembly, or damaged.
    #[error("{path} is no WebAssembly component: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It would unfold into far more than it is.
    #[error("{path} nests or instantiates too much: {what}", path = path.display())]
    Unfolds {
        /// The file.
        path: PathBuf,
        /// What there is too much of.
        what: String,
    },
    /// A core module.
    #[error(
        "{path} is a core WebAssembly module, not a component; turn it into one with `keyhost componentize`",
        path = path.display()
    )]
    CoreModule {
        /// The file.
        path: PathBuf,
    },
    /// A component of another world.
    #[error(
        "{path} is no {wanted}: it does not export {export}",
        path = path.display(),
        export = wanted.export().trim_end_matches('.')
    )]
    OtherWorld {
        /// The file.
        path: PathBuf,
        /// What it was to be.
        wanted: PluginKind,
    },
    /// A component of none of our worlds.
    #[error(
        "{path} is no plugin: it exports none of keyhost's interfaces",
        path = path.display()
    )]
    NoPlugin {
        /// The file.
        path: PathBuf,
    },
    /// It imports what the operator did not grant.
    #[error(
        "{path} imports {import}, which is not granted to it; {}",
        granting(import),
        path = path.display()
    )]
    NotGranted {
        /// The file.
        path: PathBuf,
        /// The import.
        import: String,
    },
}

/// The names that a component imports and exports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The imports, in the order of the file.
    pub imports: Vec<String>,
    /// The exports, in the order of the file.
    pub exports: Vec<String>,
}

impl Interface {
    /// Reads the interface of a component.
    ///
    /// # Errors
    /// [`InterfaceError::Malformed`] and [`InterfaceError::CoreModule`].
    pub fn of(path: &Path, bytes: &[u8]) -> Result<Self, InterfaceError> {
        let malformed = |reason: String| InterfaceError::Malformed {
            path: path.to_owned(),
            reason,
        };
        let damaged = |error: wasmparser::BinaryReaderError| malformed(damage(&error));
        if !bytes.starts_with(MAGIC) {
            return Err(malformed(
                "it does not begin as WebAssembly does".to_owned(),
            ));
        }
        let mut interface = Self::default();
        // Nested modules and components have imports of their own.
        let mut depth = 0_u32;
        let (mut instances, mut core_instances) = (0_u32, 0_u32);
        let unfolds = |what| InterfaceError::Unfolds {
            path: path.to_owned(),
            what,
        };
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(damaged)? {
                Payload::Version {
                    encoding: Encoding::Module,
                    ..
                } if depth == 0 => {
                    return Err(InterfaceError::CoreModule {
                        path: path.to_owned(),
                    });
                }
                Payload::ModuleSection { .. } => depth += 1,
                Payload::ComponentSection { .. } => {
                    depth += 1;
                    if depth > MAXIMUM_NESTING {
                        return Err(unfolds(format!(
                            "components in components, {depth} levels deep"
                        )));
                    }
                }
                Payload::ComponentInstanceSection(section) => {
                    instances += section.count();
                    if instances > MAXIMUM_INSTANCES {
                        return Err(unfolds(format!(
                            "more than {MAXIMUM_INSTANCES} instances of components"
                        )));
                    }
                }
                Payload::InstanceSection(section) => {
                    core_instances += section.count();
                    if core_instances > MAXIMUM_CORE_INSTANCES {
                        return Err(unfolds(format!(
                            "more than {MAXIMUM_CORE_INSTANCES} instances of modules"
                        )));
                    }
                }
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        let name = import.map_err(damaged)?.name.name;
                        interface.imports.push(crate::guest_text::fit(name));
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        let name = export.map_err(damaged)?.name.name;
                        interface.exports.push(crate::guest_text::fit(name));
                    }
                }
                _ => {}
            }
        }
        Ok(interface)
    }

    /// Whether the component needs WASI.
    pub fn imports_wasi(&self) -> bool {
        self.imports.iter().any(|import| wasi::provides(import))
    }

    /// Whether the component needs the grant `storage`.
    pub fn imports_storage(&self) -> bool {
        self.imports.iter().any(|import| import == STORAGE_IMPORT)
    }

    /// What the component is.
    ///
    /// # Errors
    /// [`InterfaceError::NoPlugin`].
    pub fn kind(&self, path: &Path) -> Result<PluginKind, InterfaceError> {
        let kind = PluginKind::ALL.into_iter().find(|kind| self.is(*kind));
        kind.ok_or_else(|| InterfaceError::NoPlugin {
            path: path.to_owned(),
        })
    }

    fn is(&self, kind: PluginKind) -> bool {
        let mut exports = self.exports.iter();
        exports.any(|export| export.starts_with(kind.export()))
    }

    /// Refuses a component that is not what it is to be. Exports that are not
    /// ours are tolerated.
    ///
    /// # Errors
    /// [`InterfaceError::OtherWorld`].
    pub fn check_kind(&self, path: &Path, wanted: PluginKind) -> Result<(), InterfaceError> {
        if self.is(wanted) {
            return Ok(());
        }
        Err(InterfaceError::OtherWorld {
            path: path.to_owned(),
            wanted,
        })
    }

    /// Refuses imports beyond the grants and the component's kind.
    ///
    /// # Errors
    /// [`InterfaceError::NotGranted`].
    pub fn check_imports(
        &self,
        path: &Path,
        grants: Grants,
        kind: PluginKind,
    ) -> Result<(), InterfaceError> {
        let refused = self.imports.iter().find(|import| {
            let clock = kind.tells_time() && import.starts_with(CLOCK_IMPORT);
            let free = clock || FREE_IMPORTS.iter().any(|free| import.starts_with(free));
            let granted = grants.storage && *import == STORAGE_IMPORT;
            !free && !granted && !wasi::provides(import)
        });
        match refused {
            None => Ok(()),
            Some(import) => Err(InterfaceError::NotGranted {
                path: path.to_owned(),
                import: import.clone(),
            }),
        }
    }
}

/// What is wrong with a file, and where, on one line.
pub(crate) fn damage(error: &wasmparser::BinaryReaderError) -> String {
    // The parser's details stand on further lines.
    let reason = error.message().lines().next().unwrap_or_default();
    format!("{reason} at byte {}", error.offset())
}

fn granting(import: &str) -> &'static str {
    if import == STORAGE_IMPORT {
        "`grants { storage = true }` in its component block grants it"
    } else if import.starts_with(CLOCK_IMPORT) {
        "only ephemeral resources are told the time"
    } else {
        "keyhost has no grant for it"
    }
}
