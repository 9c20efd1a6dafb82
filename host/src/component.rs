//! From a file to something that runs: read, pinned, checked against the
//! grants, compiled.

pub mod cache;
pub mod imports;
pub mod kind;
pub mod pin;
pub mod source;

use std::path::{Path, PathBuf};

use wasmtime::component::{InstancePre, Linker};

use crate::clock::WallClock;
use crate::digest::Digest;
use crate::engine::Engine;
use crate::grants::Grants;
use crate::host_api;
use crate::limits::Limits;
use crate::sandbox::state::State;
use crate::sandbox::wasi;
use crate::storage::Bucket;
use cache::Cache;
use imports::Interface;
use kind::PluginKind;

/// Why a component was refused before it ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The file cannot be read, or is too large.
    #[error(transparent)]
    Source(#[from] source::SourceError),
    /// The file is not the one that was vetted.
    #[error(transparent)]
    Pin(#[from] pin::PinError),
    /// It is no component of ours, or wants what was not granted.
    #[error(transparent)]
    Interface(#[from] imports::InterfaceError),
    /// It does not compile, or imports a function that the host does not have.
    #[error("{path} cannot be used: {reason}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What the compiler or linker said.
        reason: String,
    },
}

/// How to load one component.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The file.
    pub path: &'a Path,
    /// The digest that the operator vetted. `None` is for looking at files, not
    /// for running operators' configurations.
    pub sha256: Option<Digest>,
    /// What it may do.
    pub grants: Grants,
    /// Its limits.
    pub limits: &'a Limits,
    /// Its storage, for components that are granted one.
    pub bucket: Option<Bucket>,
    /// What it is told of the time.
    pub clock: WallClock,
}

impl<'a> Request<'a> {
    /// A file that nobody vetted, with no grant and no storage.
    pub fn new(path: &'a Path, limits: &'a Limits) -> Self {
        Self {
            path,
            sha256: None,
            grants: Grants::default(),
            limits,
            bucket: None,
            clock: WallClock::system(),
        }
    }
}

/// Loads a component, compiled and linked. `typed` finds the exports of its
/// world.
pub(crate) fn load<T>(
    engine: &Engine,
    cache: &Cache,
    request: &Request<'_>,
    kind: PluginKind,
    typed: impl FnOnce(InstancePre<State>) -> wasmtime::Result<T>,
) -> Result<T, Refused> {
    let vetted = vet(request)?;
    vetted.interface.check_kind(request.path, kind)?;
    let refused = |reason: String| invalid(request, &reason);
    let component = cache
        .compile(engine, vetted.digest, &vetted.bytes)
        .map_err(|error| refused(error.to_string()))?;
    let invalid = |error: wasmtime::Error| refused(format!("{error:#}"));
    let mut linker = Linker::new(engine.wasmtime());
    host_api::add_to_linker(&mut linker).map_err(invalid)?;
    if vetted.interface.imports_wasi() {
        wasi::add_to_linker(&mut linker).map_err(invalid)?;
    }
    let pre = linker.instantiate_pre(&component).map_err(invalid)?;
    typed(pre).map_err(invalid)
}

/// What a component's file is.
///
/// # Errors
/// [`Refused`] where it is none of ours.
pub fn kind_of(path: &Path, limits: &Limits) -> Result<PluginKind, Refused> {
    let bytes = source::read(path, limits)?;
    Ok(Interface::of(path, &bytes)?.kind(path)?)
}

/// Compiles a component into the cache, whether it is there or not. Returns the
/// entry's path.
///
/// # Errors
/// [`Refused`], also where the cache cannot be written.
#[cfg(feature = "compiler")]
pub fn precompile(cache: &Cache, request: &Request<'_>) -> Result<PathBuf, Refused> {
    let vetted = vet(request)?;
    cache
        .fill(vetted.digest, &vetted.bytes)
        .map_err(|error| invalid(request, &error.to_string()))
}

/// A component's file, that may be run.
struct Vetted {
    bytes: Vec<u8>,
    digest: Digest,
    interface: Interface,
}

fn vet(request: &Request<'_>) -> Result<Vetted, Refused> {
    let path = request.path;
    let bytes = source::read(path, request.limits)?;
    let digest = Digest::of(&bytes);
    if let Some(expected) = request.sha256 {
        pin::verify(path, expected, digest)?;
    }
    let interface = Interface::of(path, &bytes)?;
    let kind = interface.kind(path)?;
    interface.check_imports(path, request.grants, kind)?;
    Ok(Vetted {
        bytes,
        digest,
        interface,
    })
}

fn invalid(request: &Request<'_>, reason: &str) -> Refused {
    Refused::Invalid {
        path: request.path.to_owned(),
        reason: crate::guest_text::fit(reason),
    }
}
