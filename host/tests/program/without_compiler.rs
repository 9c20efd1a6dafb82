//! The build without the compiler, which `make without-compiler` makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{component, guest, program, run, skipped};

fn lean_program() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/without-compiler/keyhost");
    if path.exists() {
        return Some(path);
    }
    skipped("the build without the compiler: run `make without-compiler` first");
    None
}

#[test]
fn runs_what_the_whole_build_precompiled_and_nothing_else() {
    let Some(lean) = lean_program() else { return };
    let directory = tempfile::tempdir().expect("directory");
    let config = directory.path().join("keyhost.hcl");
    let text = format!(
        "{}encryption {{\n  key_provider \"static\" \"s\" {{\n    key = \"00112233445566778899aabbccddeeff\"\n  }}\n}}\n",
        component("static", &guest("static"), "")
    );
    fs::write(&config, text).expect("write");
    let arguments = |verb: &'static str, more: &'static [&str]| {
        let mut arguments = vec![verb];
        arguments.extend(more);
        arguments
    };
    let run = |program: &mut Command, arguments: &[&str]| {
        let cache = directory.path().join("cache");
        let program = program.arg("--config").arg(&config).args(arguments);
        run(program.arg("--cache-dir").arg(cache), b"null")
    };
    let external = arguments("external", &["key_provider.static.s"]);

    let refused = run(&mut Command::new(&lean), &external);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("keyhost precompile"),
        "{}",
        refused.stderr
    );

    let compiled = run(&mut program(), &arguments("precompile", &[]));
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let whole = run(&mut program(), &external);
    let lean_run = run(&mut Command::new(&lean), &external);
    assert_eq!((lean_run.code, lean_run.stderr.as_str()), (Some(0), ""));
    assert_eq!(lean_run.stdout, whole.stdout);

    let no_verb = run(&mut Command::new(&lean), &arguments("precompile", &[]));
    assert_eq!(no_verb.code, Some(2), "{}", no_verb.stderr);
}
