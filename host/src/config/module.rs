//! The files of an OpenTofu module that concern encryption, and keyhost's own
//! file beside them.

use std::path::{Path, PathBuf};

use super::source::ConfigError;

/// keyhost's own file, in either syntax.
const OWN_FILES: [&str; 2] = ["keyhost.hcl", "keyhost.json"];

/// What the files of OpenTofu's language end in, and the ending of the files
/// that count in their place.
const ENDINGS: [(&str, Option<&str>); 4] = [
    (".tf", Some(".tofu")),
    (".tf.json", Some(".tofu.json")),
    (".tofu", None),
    (".tofu.json", None),
];

/// The values of variables that are read first.
const FIRST_VARIABLES_FILES: [&str; 2] = ["terraform.tfvars", "terraform.tfvars.json"];

/// What the names of further files of values end in.
const VARIABLES_ENDINGS: [&str; 2] = [".auto.tfvars", ".auto.tfvars.json"];

/// The files of a directory, each kind in the order in which it is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ModuleFiles {
    pub(super) primary: Vec<PathBuf>,
    /// Merged over the primary files, one after the other.
    pub(super) overrides: Vec<PathBuf>,
    /// Values of variables, later ones winning.
    pub(super) variables: Vec<PathBuf>,
    /// keyhost's own file.
    pub(super) own: Option<PathBuf>,
}

impl ModuleFiles {
    /// Finds the files of a directory.
    pub(super) fn find(directory: &Path) -> Result<Self, ConfigError> {
        let names = names(directory)?;
        let files = Self::of(&names, directory);
        files.refuse_pipes()?;
        let own: Vec<_> = OWN_FILES
            .iter()
            .filter(|own| names.iter().any(|name| name == *own))
            .collect();
        if own.len() > 1 {
            return Err(ConfigError::new(format!(
                "{} has both {}: keep one of them",
                directory.display(),
                OWN_FILES.join(" and ")
            )));
        }
        if files == Self::default() {
            return Err(ConfigError::new(format!(
                "{} has neither {} nor a file of an OpenTofu module",
                directory.display(),
                OWN_FILES.join(" nor ")
            )));
        }
        Ok(files)
    }

    /// Refuses what is no regular file: a pipe would be waited for for ever. What
    /// cannot be looked at cannot be read either, and is told then.
    fn refuse_pipes(&self) -> Result<(), ConfigError> {
        let paths = [&self.primary, &self.overrides, &self.variables];
        let paths = paths.into_iter().flatten().chain(&self.own);
        for path in paths {
            if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
                return Err(ConfigError::new(format!(
                    "{} is not a regular file: remove it from the directory",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    /// Sorts names, which are in order, by what they are.
    fn of(names: &[String], directory: &Path) -> Self {
        let mut files = Self::default();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        for name in FIRST_VARIABLES_FILES {
            if has(name) {
                files.variables.push(directory.join(name));
            }
        }
        for name in names {
            let path = directory.join(name);
            if VARIABLES_ENDINGS
                .iter()
                .any(|ending| name.ends_with(ending))
            {
                files.variables.push(path);
            } else if is_left_behind(name) {
                continue;
            } else if OWN_FILES.contains(&name.as_str()) {
                files.own = Some(path);
            } else if let Some((stem, replacement)) = language(name) {
                if replacement.is_some_and(|ending| has(&format!("{stem}{ending}"))) {
                    continue;
                }
                if stem == "override" || stem.ends_with("_override") {
                    files.overrides.push(path);
                } else {
                    files.primary.push(path);
                }
            }
        }
        files
    }
}

/// keyhost's own file of a configuration: the configuration itself where it is
/// no directory.
///
/// # Errors
/// [`ConfigError`] where a directory has none.
pub fn own_file(path: &Path) -> Result<PathBuf, ConfigError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    ModuleFiles::find(path)?.own.ok_or_else(|| {
        ConfigError::new(format!(
            "{} has no {}, where components are configured",
            path.display(),
            OWN_FILES.join(" or ")
        ))
    })
}

/// The name of a file of OpenTofu's language without its ending, and the ending
/// of a file that counts in its place.
fn language(name: &str) -> Option<(&str, Option<&'static str>)> {
    ENDINGS
        .iter()
        .find_map(|(ending, replacement)| Some((name.strip_suffix(ending)?, *replacement)))
}

/// Whether editors leave files of such a name behind. Values of variables are read
/// from them all the same, as by OpenTofu.
fn is_left_behind(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

/// The names of a directory's files, in order.
fn names(directory: &Path) -> Result<Vec<String>, ConfigError> {
    let failed = |error: std::io::Error| {
        ConfigError::new(format!("{} cannot be read: {error}", directory.display()))
    };
    let mut names = Vec::new();
    for entry in directory.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ModuleFiles;

    fn found(names: &[&str]) -> [String; 3] {
        let mut names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        let files = ModuleFiles::of(&names, Path::new(""));
        [files.primary, files.overrides, files.variables].map(|paths| {
            let paths: Vec<_> = paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            paths.join(" ")
        })
    }

    #[test]
    fn a_tofu_file_counts_in_place_of_the_tf_file_of_its_name() {
        let [primary, overrides, _] = found(&[
            "a.tf",
            "a.tofu",
            "b.tf",
            "b.tofu.json",
            "c.tf.json",
            "c.tofu.json",
            "override.tf",
            "override.tofu",
            "x_override.tf.json",
            "override_x.tf",
            "main.tftest.hcl",
            ".d.tf",
            "d.tf~",
            "#d.tf#",
            "README.md",
        ]);
        assert_eq!(primary, "a.tofu b.tf b.tofu.json c.tofu.json override_x.tf");
        assert_eq!(overrides, "override.tofu x_override.tf.json");
    }

    #[test]
    fn values_of_variables_come_in_opentofus_order() {
        let [_, _, variables] = found(&[
            "b.auto.tfvars",
            "a.auto.tfvars.json",
            "terraform.tfvars.json",
            "terraform.tfvars",
            "other.tfvars",
            ".x.auto.tfvars",
            "c.auto.tfvars~",
        ]);
        assert_eq!(
            variables,
            "terraform.tfvars terraform.tfvars.json .x.auto.tfvars a.auto.tfvars.json b.auto.tfvars"
        );
    }
}
