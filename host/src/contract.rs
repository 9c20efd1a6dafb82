//! The contract's own text, for those that build against it.

use include_dir::{Dir, include_dir};
use wit_parser::{PackageId, Resolve, SourceMap};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../wit");

/// Every file of the contract: its path below `wit/`, and its text.
pub fn files() -> Vec<(String, &'static str)> {
    let mut files = Vec::new();
    collect(&FILES, &mut files);
    files
}

fn collect(directory: &'static Dir<'_>, files: &mut Vec<(String, &'static str)>) {
    for file in directory.files() {
        let path = file.path().to_string_lossy().into_owned();
        files.extend(file.contents_utf8().map(|text| (path, text)));
    }
    for directory in directory.dirs() {
        collect(directory, files);
    }
}

/// The contract, parsed. It is our own text, so an error is one of ours.
pub(crate) fn parse() -> Result<(Resolve, PackageId), String> {
    let (mut own, mut foreign) = (SourceMap::new(), SourceMap::new());
    for (path, text) in files() {
        let map = match path.starts_with("deps/") {
            true => &mut foreign,
            false => &mut own,
        };
        map.push_str(path.as_ref(), text);
    }
    let mut resolve = Resolve::default();
    let mut push = |map: SourceMap| {
        let group = map.parse().map_err(|(_, error)| error.to_string())?;
        resolve.push_group(group).map_err(|error| error.to_string())
    };
    push(foreign)?;
    let package = push(own)?;
    Ok((resolve, package))
}

#[cfg(test)]
mod tests {
    use crate::component::kind::PluginKind;

    #[test]
    fn has_a_world_for_every_kind() {
        let (resolve, package) = super::parse().expect("the contract");
        for kind in PluginKind::ALL {
            resolve
                .select_world(&[package], Some(kind.world()))
                .expect("a world");
        }
    }
}
