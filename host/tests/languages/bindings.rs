//! The C bindings that are checked in are those of the contract.

use std::fs;
use std::path::Path;

use wit_bindgen_c::Opts;
use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guest-providers");

/// Generates the bindings of a kind's world, and compares them with a folder's.
#[track_caller]
fn assert_current(kind: &str, folder: &str) {
    let mut resolve = Resolve::default();
    let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit");
    let (package, _) = resolve.push_dir(contract).expect("contract");
    let world = resolve
        .select_world(&[package], Some(&format!("{kind}-plugin")))
        .expect("world");
    let mut files = Files::default();
    let options = Opts {
        no_object_file: true,
        ..Opts::default()
    };
    let mut generator = options.build();
    generator
        .generate(&mut resolve, world, &mut files)
        .expect("bindings");
    let mut compared = 0;
    for (name, expected) in files.iter() {
        let path = Path::new(GUESTS).join(folder).join("bindings").join(name);
        let found = fs::read(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{} is not what the contract gives: run guest-providers/c-bindings.sh",
            path.display(),
        );
        compared += 1;
    }
    assert_eq!(compared, 2, "a header and a source");
}

#[test]
fn of_the_guest() {
    assert_current("key-provider", "pbkdf2-c");
}

#[test]
fn of_the_templates() {
    for kind in ["key-provider", "credentials-helper", "ephemeral-resource"] {
        assert_current(kind, &format!("templates/c/{kind}"));
    }
}
