//! Reading configurations and checking stored metadata.

use std::path::Path;

use divan::Bencher;
use keyhost::config::Config;
use keyhost::config::inputs::Inputs;
use keyhost::config::reference::Address;
use keyhost::config::source::Source;
use keyhost::config::syntax::Syntax;
use keyhost::descriptor::{Attribute, AttributeType, Descriptor};
use keyhost::key_provider::metadata;
use keyhost::limits::Limits;

fn main() {
    divan::main();
}

const HCL: &str = r#"
component "pbkdf2" {
  path   = "pbkdf2.wasm"
  sha256 = "9500988db8ba24a762c186c73484b36f9500988db8ba24a762c186c73484b36f"
  limits { memory = "32MiB" }
}
variable "passphrase" { default = "correct-horse-battery-staple" }
terraform {
  encryption {
    key_provider "pbkdf2" "main" {
      passphrase    = "${var.passphrase}-of-production"
      iterations    = 600000
      hash_function = "sha512"
    }
    method "aes_gcm" "default" { keys = key_provider.pbkdf2.main }
    state { method = method.aes_gcm.default }
  }
}
"#;

const JSON: &str = r#"{
  "component": {"pbkdf2": {
    "path": "pbkdf2.wasm",
    "sha256": "9500988db8ba24a762c186c73484b36f9500988db8ba24a762c186c73484b36f",
    "limits": {"memory": "32MiB"}
  }},
  "variable": {"passphrase": {"default": "correct-horse-battery-staple"}},
  "terraform": {"encryption": {
    "key_provider": {"pbkdf2": {"main": {
      "passphrase": "${var.passphrase}-of-production",
      "iterations": 600000,
      "hash_function": "sha512"
    }}},
    "method": {"aes_gcm": {"default": {"keys": "${key_provider.pbkdf2.main}"}}},
    "state": {"method": "${method.aes_gcm.default}"}
  }}
}"#;

fn parse(text: &str, syntax: Syntax) -> Config {
    let source = Source::new("keyhost.hcl".to_owned(), text.to_owned());
    Config::parse(source, syntax, Path::new(""), &Inputs::default()).expect("configuration")
}

#[divan::bench]
fn parse_hcl() -> Config {
    parse(HCL, Syntax::Hcl)
}

#[divan::bench]
fn parse_json() -> Config {
    parse(JSON, Syntax::Json)
}

/// Evaluates a block and decodes it by what its component declares.
#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let config = parse(HCL, Syntax::Hcl);
    let address: Address = "key_provider.pbkdf2.main".parse().expect("address");
    let attribute = |name: &str, kind, sensitive| Attribute {
        name: name.to_owned(),
        kind,
        required: false,
        sensitive,
        default: None,
        description: String::new(),
    };
    let descriptor = Descriptor {
        id: "pbkdf2".to_owned(),
        version: "1.0.0".to_owned(),
        attributes: vec![
            attribute("passphrase", AttributeType::String, true),
            attribute("iterations", AttributeType::Number, false),
            attribute("hash_function", AttributeType::String, false),
        ],
    };
    bencher.bench(|| config.decode(&address, &descriptor).expect("settings"));
}

#[divan::bench(args = ["usual", "at the limit"])]
fn check_metadata(bencher: Bencher<'_, '_>, size: &str) {
    let limits = Limits::default();
    let text = match size {
        "usual" => {
            r#"{"salt":"ZSuiQ0nm3Vo3Jt9SU7JKQvRyVWtpqkIaO6HF1sNpcm0=","iterations":600000,"hash_function":"sha512","key_length":32}"#.to_owned()
        }
        _ => format!(r#"{{"padding":[{}0]}}"#, "0,".repeat(32_000)),
    };
    bencher.bench(|| metadata::check("key_provider.pbkdf2.main", &text, &limits).expect("valid"));
}
