use std::path::Path;

use super::{Config, ConfigError, Method, Target, TargetName};
use crate::config::inputs::Inputs;
use crate::config::source::Source;
use crate::config::syntax::Syntax;

const METHODS: &str = r#"
    method "unencrypted" "plain" {}
    method "external" "new" {
      encrypt_command = ["program", "new"]
      decrypt_command = ["program", "new", "-d"]
    }
    method "external" "old" {
      encrypt_command = ["program", "old"]
      decrypt_command = ["program", "old", "-d"]
    }
"#;

fn parse(text: String, syntax: Syntax) -> Result<Config, ConfigError> {
    let source = Source::new("f".to_owned(), text);
    Config::parse(source, syntax, Path::new(""), &Inputs::default())
}

fn target(targets: &str, name: &TargetName) -> Result<Target, String> {
    let text = format!("encryption {{{METHODS}{targets}\n}}");
    let config = parse(text, Syntax::Hcl).map_err(|error| error.to_string())?;
    config.target(name).map_err(|error| error.to_string())
}

fn addresses(target: &Target) -> Vec<&str> {
    let methods = target.methods.iter();
    methods.map(|method| method.address.as_str()).collect()
}

#[test]
fn every_target_has_its_methods_in_order() {
    let targets = r#"
        state {
          method = method.external.new
          fallback {
            method = method.external.old
            fallback {
              method = method.unencrypted.plain
            }
          }
        }
        plan {
          method   = method.external.new
          enforced = true
        }
        remote_state_data_sources {
          default {
            method = method.external.old
          }
          remote_state_data_source "module.a.b[0]" {
            method = method.external.new
            fallback {
              method = method.external.old
            }
          }
        }
    "#;
    let (new, old, plain) = (
        "method.external.new",
        "method.external.old",
        "method.unencrypted.plain",
    );
    for (name, methods, enforced) in [
        (TargetName::State, vec![new, old, plain], false),
        (TargetName::Plan, vec![new], true),
        (
            TargetName::Remote("module.a.b[0]".to_owned()),
            vec![new, old],
            false,
        ),
        (TargetName::Remote("other".to_owned()), vec![old], false),
    ] {
        let target = target(targets, &name).expect("target");
        assert_eq!(addresses(&target), methods, "{name}");
        assert_eq!(target.enforced, enforced, "{name}");
    }
}

#[test]
fn json_says_the_same() {
    let text = r#"{"terraform": [{"encryption": {
        "method": {"external": {"m": [{
            "encrypt_command": ["${\"program\"}"], "decrypt_command": ["program", 1]
        }]}},
        "remote_state_data_sources": {
            "default": {"method": "method.external.m"},
            "remote_state_data_source": {"x": {"method": "${method.external.m}"}}
        }
    }}]}"#;
    let config = parse(text.to_owned(), Syntax::Json).expect("configuration");
    for name in ["x", "y"] {
        let target = config.target(&TargetName::Remote(name.to_owned()));
        let target = target.expect("target");
        let Method::External(external) = &target.methods[0].method else {
            panic!("another method");
        };
        assert_eq!(external.encrypt_command, ["program"]);
        assert_eq!(external.decrypt_command, ["program", "1"]);
        assert!(external.keys.is_none());
    }
}

#[test]
fn what_is_not_configured_is_told() {
    let state = "state {\n method = method.external.new\n}";
    for (name, part) in [
        (TargetName::Plan, "f has no plan block"),
        (
            TargetName::Remote("x".to_owned()),
            "f has no remote_state_data_source \"x\" block",
        ),
    ] {
        let error = target(state, &name).expect_err("missing");
        assert!(error.starts_with(part), "{error}");
    }
    for (targets, part) in [
        ("state {}", "the method is missing"),
        ("state {\n method = method.a.b\n}", "there is no method.a.b"),
        (
            "state {\n method = method.external.new\n fallback {}\n}",
            "the method is missing",
        ),
        (
            "remote_state_data_sources {\n remote_state_data_source \"x\" {}\n remote_state_data_source \"x\" {}\n}",
            "is configured twice",
        ),
        (
            "remote_state_data_sources {\n default {\n enforced = true\n }\n}",
            "\"enforced\" is not expected here",
        ),
    ] {
        let error = target(targets, &TargetName::State).expect_err(targets);
        assert!(error.contains(part), "{targets}: {error}");
    }
}

#[test]
fn enforced_leaves_nothing_unencrypted() {
    for (method, fallback) in [
        ("unencrypted.plain", "external.old"),
        ("external.new", "unencrypted.plain"),
    ] {
        let state = |enforced| {
            format!(
                "\nstate {{\n enforced = {enforced}\n method = method.{method}\n fallback {{\n method = method.{fallback}\n }}\n}}"
            )
        };
        let error = target(&state("true"), &TargetName::State).expect_err("enforced");
        assert!(error.contains("the state target is enforced"), "{error}");
        assert!(error.contains("method.unencrypted.plain"), "{error}");
        target(&state("false"), &TargetName::State).expect("not enforced");
    }
}

#[test]
fn external_methods_name_programs() {
    let good = r#"encrypt_command = ["a"]"#;
    for (attributes, part) in [
        ("", "needs the attribute \"encrypt_command\""),
        (good, "needs the attribute \"decrypt_command\""),
        ("encrypt_command = \"a\"", "a list of strings"),
        ("encrypt_command = []", "a list of strings"),
        ("encrypt_command = [\"\"]", "a list of strings"),
        ("encrypt_command = [[\"a\"]]", "a list of strings"),
        ("encrypt_command = [\"a\\u0000\"]", "a list of strings"),
        ("encrypt_command = null", "a list of strings"),
        ("command = [\"a\"]", "has no attribute \"command\""),
        (
            "keys = key_provider.a.b\nencrypt_command = [\"a\"]\ndecrypt_command = [\"a\"]",
            "there is no key_provider.a.b",
        ),
    ] {
        let text = format!(
            "method \"external\" \"x\" {{\n{attributes}\n}}\nstate {{\n method = method.external.x\n}}"
        );
        let error = target(&text, &TargetName::State).expect_err(attributes);
        assert!(error.contains(part), "{attributes}: {error}");
    }
}
