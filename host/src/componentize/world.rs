//! Telling a module's world, where it does not say so itself.

use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::{
    LiftLowerAbi, ManglingAndAbi, Resolve, WasmExport, WasmExportKind, WorldId, WorldItem,
};

use super::ComponentizeError;
use super::module::Module;
use crate::component::kind::PluginKind;
use crate::contract;

/// What every module exports that is given lists and texts.
const NEEDED: [&str; 2] = ["cabi_realloc", "memory"];

/// How bindings name what they import and export.
const MANGLING: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// The module with a description of its kind's world.
pub(super) fn describe(
    bytes: &[u8],
    module: &Module,
    wanted: Option<PluginKind>,
) -> Result<Vec<u8>, ComponentizeError> {
    let kind = kind(module, wanted)?;
    let (resolve, world) = world(kind)?;
    let missing = missing(module, &resolve, world);
    if !missing.is_empty() {
        return Err(ComponentizeError::MissingExports { kind, missing });
    }
    let mut described = bytes.to_vec();
    embed_component_metadata(&mut described, &resolve, world, StringEncoding::UTF8)
        .map_err(super::unfit)?;
    Ok(described)
}

/// What a module is: as it was said, or told by its exports.
fn kind(module: &Module, wanted: Option<PluginKind>) -> Result<PluginKind, ComponentizeError> {
    let exports = |kind: &PluginKind| {
        let begin = kind.export();
        // Newer bindings set a mark before the name.
        let mut names = module.exports.iter();
        names.any(|name| name.trim_start_matches("cm32p2|").starts_with(begin))
    };
    let found = PluginKind::ALL.into_iter().find(exports);
    match (wanted, found) {
        (Some(wanted), Some(found)) if wanted != found => Err(ComponentizeError::OtherKind {
            wanted,
            found: format!("{} {found}", found.article()),
        }),
        (_, Some(kind)) => Ok(kind),
        (_, None) if module.exports.iter().any(|name| name == "_start") => {
            Err(ComponentizeError::Program)
        }
        (Some(kind), None) => Ok(kind),
        (None, None) => Err(no_kind()),
    }
}

/// That nothing tells what a module is.
pub(super) fn no_kind() -> ComponentizeError {
    let names = world(PluginKind::KeyProvider).map(|(resolve, world)| names(&resolve, world));
    let example = names.ok().and_then(|names| names.into_iter().next());
    ComponentizeError::NoKind {
        example: example.unwrap_or_default(),
    }
}

fn world(kind: PluginKind) -> Result<(Resolve, WorldId), ComponentizeError> {
    let (resolve, package) = contract::parse().map_err(ComponentizeError::Unfit)?;
    let world = resolve
        .select_world(&[package], Some(kind.world()))
        .map_err(|error| ComponentizeError::Unfit(error.to_string()))?;
    Ok((resolve, world))
}

/// The names of the functions that a world exports.
fn names(resolve: &Resolve, world: WorldId) -> Vec<String> {
    let mut names = Vec::new();
    for (key, item) in &resolve.worlds[world].exports {
        let WorldItem::Interface { id, .. } = item else {
            continue;
        };
        for func in resolve.interfaces[*id].functions.values() {
            let export = WasmExport::Func {
                interface: Some(key),
                func,
                kind: WasmExportKind::Normal,
            };
            names.push(resolve.wasm_export_name(MANGLING, export));
        }
    }
    names
}

fn missing(module: &Module, resolve: &Resolve, world: WorldId) -> Vec<String> {
    // Newer bindings have other names, and wit-component judges them.
    if module.exports.iter().any(|name| name.starts_with("cm32p2")) {
        return Vec::new();
    }
    let needed = NEEDED.map(str::to_owned);
    let wanted = names(resolve, world).into_iter().chain(needed);
    wanted
        .filter(|name| !module.exports.contains(name))
        .collect()
}
