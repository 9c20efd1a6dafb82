//! The guests that `make guests` builds, for every test binary.

use std::fs;
use std::path::{Path, PathBuf};

use keyhost::digest::Digest;

/// The path of a guest.
pub(crate) fn guest(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/guests")
        .join(format!("{name}.wasm"));
    assert!(
        path.exists(),
        "{} is missing: run `make guests`",
        path.display()
    );
    path
}

/// A `component` block, pinned.
pub(crate) fn component(kind: &str, path: &Path, more: &str) -> String {
    let digest = Digest::of(&fs::read(path).expect("component"));
    let path = path.display();
    format!("component \"{kind}\" {{\n  path = \"{path}\"\n  sha256 = \"{digest}\"\n{more}\n}}\n")
}
