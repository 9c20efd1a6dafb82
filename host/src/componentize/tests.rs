use wasmparser::{Parser, Payload};

use super::{ComponentizeError, Options, Wasi, componentize};
use crate::component::kind::PluginKind;

fn made(bytes: &[u8]) -> Result<Vec<u8>, ComponentizeError> {
    componentize(bytes, &Options::default())
}

fn module(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("WAT")
}

/// A key provider that does nothing, without a description of its world.
fn key_provider(more: &str) -> Vec<u8> {
    module(&format!(
        r#"(module {more}
          (memory (export "memory") 1)
          (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
          (func (export "keyhost:plugin/key-provider@0.1.0#describe") (result i32) unreachable)
          (func (export "keyhost:plugin/key-provider@0.1.0#build")
            (param i32 i32 i32 i32 i32 i32) (result i32) unreachable)
          (func (export "keyhost:plugin/key-provider@0.1.0#[method]provider.keeps-metadata")
            (param i32) (result i32) unreachable)
          (func (export "keyhost:plugin/key-provider@0.1.0#[method]provider.provide")
            (param i32 i32 i32 i32) (result i32) unreachable)
        )"#
    ))
}

const WASI: &str = r#"
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
"#;

/// The names that a component imports.
fn imports(component: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        if let Payload::ComponentImportSection(section) = payload.expect("component") {
            names.extend(section.into_iter().map(|import| {
                let import = import.expect("import");
                import.name.name.to_owned()
            }));
        }
    }
    names
}

#[test]
fn tells_the_kind_by_the_exports() {
    let component = made(&key_provider("")).expect("component");
    assert!(!imports(&component).iter().any(|name| name.contains("wasi")));
    let options = Options {
        kind: Some(PluginKind::EphemeralResource),
        ..Options::default()
    };
    assert!(matches!(
        componentize(&key_provider(""), &options),
        Err(ComponentizeError::OtherKind { .. })
    ));
}

#[test]
fn shuts_or_stubs_wasi() {
    let shut = made(&key_provider(WASI)).expect("component");
    assert!(
        imports(&shut)
            .iter()
            .any(|name| name.starts_with("wasi:cli/"))
    );
    let options = Options {
        wasi: Wasi::Stubbed,
        ..Options::default()
    };
    let stubbed = componentize(&key_provider(WASI), &options).expect("component");
    assert!(!imports(&stubbed).iter().any(|name| name.contains("wasi:")));
}

#[test]
fn stubs_each_function_once_and_numbers_alone() {
    let options = Options {
        wasi: Wasi::Stubbed,
        ..Options::default()
    };
    let twice = WASI.repeat(2);
    componentize(&key_provider(&twice), &options).expect("component");
    for parameter in ["v128", "externref", "funcref"] {
        let odd = format!(
            r#"(import "wasi_snapshot_preview1" "odd" (func (param {parameter}) (result i32)))"#
        );
        let module = key_provider(&(odd + WASI));
        let error = componentize(&module, &options).expect_err(parameter);
        assert!(error.to_string().contains("odd"), "{error}");
    }
}

#[test]
fn says_what_is_missing() {
    let whole = String::from_utf8_lossy(&key_provider("")).into_owned();
    assert!(whole.contains("cabi_realloc"));
    let text = made(&module(
        r#"(module (func (export "keyhost:plugin/key-provider@0.1.0#describe") (result i32) unreachable))"#,
    ))
    .expect_err("missing")
    .to_string();
    for name in ["#build", "provider.provide", "cabi_realloc", "memory"] {
        assert!(text.contains(name), "{text}");
    }
    assert!(!text.contains("#describe"), "{text}");
    let empty = b"\0asm\x01\0\0\0";
    let text = made(empty).expect_err("nothing").to_string();
    assert!(
        text.contains("keyhost:plugin/key-provider@0.1.0#describe"),
        "{text}"
    );
    assert_eq!(
        made(&module(r#"(module (func (export "_start")))"#)),
        Err(ComponentizeError::Program)
    );
    let options = Options {
        kind: Some(PluginKind::KeyProvider),
        ..Options::default()
    };
    assert_eq!(
        componentize(&module(r#"(module (func (export "_start")))"#), &options),
        Err(ComponentizeError::Program)
    );
    let foreign =
        r#"(import "env" "getpid" (func (result i32))) (import "env" "fork" (func (result i32)))"#;
    assert_eq!(
        made(&key_provider(foreign)),
        Err(ComponentizeError::UnknownImports {
            module: "env".to_owned(),
            names: vec!["getpid".to_owned(), "fork".to_owned()],
        })
    );
    let other = r#"(import "keyhost:plugin/secrets@0.1.0" "steal" (func))"#;
    assert!(matches!(
        made(&key_provider(other)),
        Err(ComponentizeError::Unfit(_))
    ));
}

#[test]
fn refuses_what_is_no_module() {
    assert_eq!(
        made(b"\0asm\x0d\0\x01\0"),
        Err(ComponentizeError::AlreadyComponent)
    );
    for bytes in [b"".as_slice(), b"\0as", b"hello, world"] {
        assert!(matches!(made(bytes), Err(ComponentizeError::Malformed(_))));
    }
}

#[test]
fn no_cut_module_panics() {
    let whole = key_provider(WASI);
    for length in 0..whole.len() {
        assert!(made(&whole[..length]).is_err(), "{length} bytes");
    }
}
