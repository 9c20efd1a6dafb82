//! New projects for authors of components: what `keyhost new` writes.

mod name;

use std::fmt;
use std::path::PathBuf;

use include_dir::{Dir, include_dir};

use crate::component::kind::PluginKind;
use crate::contract;

pub use name::{InvalidName, ProjectName};

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../guest-providers/templates");

/// What Rust projects build with.
static SDK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../guest-providers/sdk");

/// Where Rust projects have it: the contract is where its bindings look for it.
const SDK_DIRECTORY: &str = "vendor/keyhost-guest";

/// A language with a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust, for `wasm32-unknown-unknown`.
    Rust,
    /// C, by clang.
    C,
    /// Python, by componentize-py.
    Python,
    /// JavaScript, by componentize-qjs.
    JavaScript,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 4] = [Self::Rust, Self::C, Self::Python, Self::JavaScript];

    const fn directory(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Python => "python",
            Self::JavaScript => "javascript",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
        })
    }
}

/// A project to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its name: that of its component, and the type that users write.
    pub name: ProjectName,
    /// What it is written in.
    pub language: Language,
    /// What its component is.
    pub kind: PluginKind,
}

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFile {
    /// Below the project's directory.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
    /// Whether it is a program.
    pub executable: bool,
}

impl Project {
    /// Every file, in the order of their paths.
    pub fn files(&self) -> Vec<ProjectFile> {
        let language = self.language.directory();
        let kind = kind_directory(self.kind);
        let mut files = Vec::new();
        for layer in [
            "common".to_owned(),
            kind.to_owned(),
            format!("{language}/common"),
            format!("{language}/{kind}"),
        ] {
            if let Some(directory) = TEMPLATES.get_dir(&layer) {
                self.take(directory, directory, &mut files);
            }
        }
        for (path, text) in contract::files() {
            files.push(file(format!("wit/{path}"), text.to_owned()));
        }
        if self.language == Language::Rust {
            copy(&SDK, &mut files);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// Takes a layer's files, with the project's names in them.
    fn take(&self, layer: &Dir<'_>, directory: &Dir<'_>, files: &mut Vec<ProjectFile>) {
        for entry in directory.files() {
            let path = entry.path().strip_prefix(layer.path());
            let path = path.unwrap_or(entry.path()).to_string_lossy();
            let text = entry.contents_utf8().unwrap_or_default();
            files.push(file(self.named(&path), self.named(text)));
        }
        for below in directory.dirs() {
            self.take(layer, below, files);
        }
    }

    fn named(&self, text: &str) -> String {
        text.replace("{{name}}", self.name.as_str())
            .replace("{{identifier}}", &self.name.identifier())
            .replace("{{kind}}", kind_directory(self.kind))
    }
}

/// The templates are named after the contract's worlds.
fn kind_directory(kind: PluginKind) -> &'static str {
    kind.world().trim_end_matches("-plugin")
}

fn copy(directory: &Dir<'_>, files: &mut Vec<ProjectFile>) {
    for entry in directory.files() {
        let path = format!("{SDK_DIRECTORY}/{}", entry.path().display());
        let text = entry.contents_utf8().unwrap_or_default();
        files.push(file(path, text.to_owned()));
    }
    for below in directory.dirs() {
        copy(below, files);
    }
}

fn file(path: String, text: String) -> ProjectFile {
    ProjectFile {
        path: path.into(),
        executable: text.starts_with("#!"),
        text,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{Language, PluginKind, Project};

    #[test]
    fn every_project_is_whole_and_named() {
        for language in Language::ALL {
            for kind in PluginKind::ALL {
                let name = "my-thing".parse().expect("name");
                let project = Project {
                    name,
                    language,
                    kind,
                };
                let files = project.files();
                let paths: BTreeSet<_> = files.iter().map(|file| file.path.as_path()).collect();
                assert_eq!(paths.len(), files.len(), "{language}: a path twice");
                for path in [
                    "Makefile",
                    "README.md",
                    "BUILDING.md",
                    "my-thing.compliance.toml",
                    ".gitignore",
                    ".github/workflows/ci.yml",
                    "wit/world.wit",
                    "wit/deps/keyvalue/store.wit",
                ] {
                    assert!(
                        paths.contains(Path::new(path)),
                        "{language}, {kind}: {path}"
                    );
                }
                for file in &files {
                    let path = file.path.display();
                    assert!(!path.to_string().contains("{{"), "{path}");
                    for mark in ["{{name}}", "{{identifier}}", "{{kind}}"] {
                        assert!(!file.text.contains(mark), "{path}: {mark}");
                    }
                    assert!(!file.text.is_empty(), "{path} is empty");
                }
            }
        }
    }
}
