use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use keyhost::project::{Project, ProjectFile};

use crate::cli::New;
use crate::files;

/// Writes a project for a new component. It appears as a whole, or not at all.
pub(crate) fn run(command: &New) -> anyhow::Result<()> {
    let project = Project {
        name: command.name.clone(),
        language: command.language.into(),
        kind: command.kind.into(),
    };
    let directory = command.directory.clone();
    let directory = directory.unwrap_or_else(|| PathBuf::from(project.name.as_str()));
    let shown = directory.display();
    if fs::symlink_metadata(&directory).is_ok() && !is_empty(&directory) {
        bail!("{shown} exists already: choose another name, or another --directory");
    }
    let parent = match directory.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        bail!("there is no directory {}: make it first", parent.display());
    }
    let unwritten = || format!("{shown} cannot be written");
    let whole = tempfile::Builder::new()
        .prefix(".keyhost-new-")
        .permissions(fs::Permissions::from_mode(0o755))
        .tempdir_in(parent)
        .with_context(unwritten)?;
    for file in project.files() {
        write(whole.path(), &file).with_context(unwritten)?;
    }
    // This replaces nothing but an empty directory.
    fs::rename(whole.path(), &directory).map_err(|error| match error.kind() {
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => {
            anyhow::anyhow!("{shown} exists already")
        }
        _ => anyhow::Error::new(error).context(unwritten()),
    })?;
    // Nothing is there any more under the first name.
    let _ = whole.keep();
    let Project {
        name,
        language,
        kind,
    } = &project;
    files::print(
        format!(
            "wrote {shown}: {article} {kind} in {language}\n\n    cd {shown}\n    make         # builds {name}.wasm; BUILDING.md says what that needs\n    make test    # judges it with the compliance suite\n",
            article = kind.article(),
        )
        .as_bytes(),
    )
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn write(project: &Path, file: &ProjectFile) -> std::io::Result<()> {
    let path = project.join(&file.path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&path, &file.text)?;
    if file.executable {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
