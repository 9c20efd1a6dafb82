//! Arguments of the commands for authors of components.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use keyhost::component::kind::PluginKind;
use keyhost::project::{Language, ProjectName};

#[derive(Args)]
pub(crate) struct New {
    /// The component's name: the type that users write, such as my-provider
    pub(crate) name: ProjectName,
    /// What to write it in
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: ProjectLanguage,
    /// What it is to be
    #[arg(long, value_name = "KIND", default_value = "key-provider")]
    pub(crate) kind: Kind,
    /// Where to write the project [default: NAME]
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) directory: Option<PathBuf>,
}

/// A language with a template.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProjectLanguage {
    Rust,
    C,
    Python,
    #[value(name = "javascript")]
    JavaScript,
}

impl From<ProjectLanguage> for Language {
    fn from(language: ProjectLanguage) -> Self {
        match language {
            ProjectLanguage::Rust => Self::Rust,
            ProjectLanguage::C => Self::C,
            ProjectLanguage::Python => Self::Python,
            ProjectLanguage::JavaScript => Self::JavaScript,
        }
    }
}

#[derive(Args)]
pub(crate) struct Componentize {
    /// The core module, built with bindings of the contract
    #[arg(value_name = "CORE_WASM")]
    pub(crate) module: PathBuf,
    /// What it is [default: told by its exports]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<Kind>,
    /// What becomes of imports of wasi_snapshot_preview1
    #[arg(long, value_name = "HOW", default_value = "shut")]
    pub(crate) wasi: WasiChoice,
    /// Where to write the component
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// A kind of plugin.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    KeyProvider,
    CredentialsHelper,
    EphemeralResource,
}

impl From<Kind> for PluginKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::KeyProvider => Self::KeyProvider,
            Kind::CredentialsHelper => Self::CredentialsHelper,
            Kind::EphemeralResource => Self::EphemeralResource,
        }
    }
}

/// What becomes of WASI's first preview.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WasiChoice {
    /// The component imports WASI 0.2, which keyhost shuts
    Shut,
    /// The component imports nothing, and each call fails
    Stub,
}
