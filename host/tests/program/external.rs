//! Conversations in OpenTofu's external key provider protocol, with a driver
//! that is as strict as its schemas and re-encodes metadata as OpenTofu does.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{Run, components, program, run};

const HEADER: &str = "{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":1}";

/// The schema of an answer: nothing more, nothing less.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    keys: Keys,
    meta: Meta,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    encryption_key: String,
    decryption_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    external_data: serde_json::Map<String, Value>,
}

struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new(encryption: &str) -> Self {
        let directory = tempfile::tempdir().expect("directory");
        let fixture = Self { directory };
        fixture.reconfigure(encryption);
        fixture
    }

    fn reconfigure(&self, encryption: &str) {
        let text = format!("{}encryption {{\n{encryption}\n}}\n", components());
        std::fs::write(self.directory.path().join("keyhost.hcl"), text).expect("write");
    }

    fn send(&self, address: &str, input: &[u8]) -> Run {
        let mut command = program();
        run(
            command
                .current_dir(self.directory.path())
                .args(["external", address]),
            input,
        )
    }

    fn ask(&self, address: &str, input: &str) -> Answer {
        let run = self.send(address, input.as_bytes());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{input}");
        let (header, body) = run.stdout.split_once('\n').expect("a header line");
        assert_eq!(header, HEADER);
        let answer: Answer = serde_json::from_str(body).expect("the schema's answer");
        assert!(!answer.meta.external_data.is_empty());
        for key in [
            Some(&answer.keys.encryption_key),
            answer.keys.decryption_key.as_ref(),
        ]
        .into_iter()
        .flatten()
        {
            assert!(!STANDARD.decode(key).expect("standard base64").is_empty());
        }
        answer
    }

    /// One sentence on standard error, exit code 1, nothing but the header.
    fn refuses(&self, address: &str, input: &[u8]) -> String {
        let run = self.send(address, input);
        let shown = String::from_utf8_lossy(&input[..input.len().min(80)]).into_owned();
        assert_eq!(run.code, Some(1), "{shown}: {}", run.stderr);
        assert_eq!(run.stdout, format!("{HEADER}\n"), "{shown}");
        assert!(run.stderr.starts_with("error: "), "{shown}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{shown}: {}", run.stderr);
        run.stderr
    }
}

/// What OpenTofu sends back: the same data after its way through a Go map.
fn fed_back(answer: &Answer) -> String {
    let sorted: BTreeMap<_, _> = answer
        .meta
        .external_data
        .iter()
        .map(|(k, v)| (k, as_float(v)))
        .collect();
    let text =
        serde_json::to_string(&serde_json::json!({ "external_data": sorted })).expect("JSON");
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn as_float(value: &Value) -> Value {
    match value {
        // Go prints whole floats without a fraction.
        Value::Number(number) => {
            let float = number.as_f64().expect("float");
            serde_json::from_str(&format!("{float}")).expect("number")
        }
        Value::Array(elements) => elements.iter().map(as_float).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(k, v)| (k.clone(), as_float(v)))
            .collect(),
        other => other.clone(),
    }
}

const STATIC: &str = r#"key_provider "static" "s" { key = "00112233445566778899aabbccddeeff" }"#;

const CHAIN: &str = r#"
key_provider "static" "s" {
  key = "00112233445566778899aabbccddeeff"
}
key_provider "pbkdf2" "p" {
  chain      = key_provider.static.s
  iterations = 200000
}"#;

const XOR: &str = r#"
key_provider "static" "a" {
  encrypted_metadata_alias = "<a> & \"b\""
  key                      = "00112233445566778899aabbccddeeff"
}
key_provider "static" "b" {
  key = "ffeeddccbbaa99887766554433221100"
}
key_provider "xor" "x" {
  a = key_provider.static.a
  b = key_provider.static.b
}"#;

#[test]
fn two_runs_agree_on_the_key() {
    for (encryption, address) in [
        (STATIC, "key_provider.static.s"),
        (CHAIN, "key_provider.pbkdf2.p"),
        (XOR, "key_provider.xor.x"),
    ] {
        let fixture = Fixture::new(encryption);
        let first = fixture.ask(address, "null");
        assert_eq!(first.keys.decryption_key, None);
        let second = fixture.ask(address, &fed_back(&first));
        assert_eq!(
            second.keys.decryption_key.as_ref(),
            Some(&first.keys.encryption_key)
        );
        let third = fixture.ask(address, &fed_back(&second));
        assert_eq!(
            third.keys.decryption_key.as_ref(),
            Some(&second.keys.encryption_key)
        );
    }
}

#[test]
fn a_static_key_is_the_configured_one() {
    let answer = Fixture::new(STATIC).ask("key_provider.static.s", "null");
    let key = hex::decode("00112233445566778899aabbccddeeff").expect("hex");
    assert_eq!(answer.keys.encryption_key, STANDARD.encode(key));
}

#[test]
fn every_form_of_encrypt_only_gives_an_encryption_key_alone() {
    let fixture = Fixture::new(STATIC);
    for input in [
        "null",
        "null\n",
        "{\"external_data\":null}",
        "{\"external_data\":null}\n",
        "{}",
    ] {
        assert_eq!(
            fixture
                .ask("key_provider.static.s", input)
                .keys
                .decryption_key,
            None
        );
    }
}

#[test]
fn settings_may_change_between_encryption_and_decryption() {
    let settings = |more: &str| {
        format!(
            "key_provider \"pbkdf2\" \"p\" {{\n passphrase = \"correct horse battery staple\"\n{more}\n}}"
        )
    };
    let address = "key_provider.pbkdf2.p";
    let fixture = Fixture::new(&settings("iterations = 200000"));
    let first = fixture.ask(address, "null");
    for more in [
        "iterations = 200001",
        "iterations = 200000\n key_length = 16",
        "iterations = 200000\n salt_length = 8",
        "iterations = 200000\n hash_function = \"sha256\"",
    ] {
        fixture.reconfigure(&settings(more));
        let second = fixture.ask(address, &fed_back(&first));
        assert_eq!(
            second.keys.decryption_key.as_ref(),
            Some(&first.keys.encryption_key),
            "{more}"
        );
    }
}

#[test]
fn a_renamed_provider_decrypts_by_its_alias_only() {
    let named = |name: &str, alias: &str| {
        format!(
            "key_provider \"static\" \"{name}\" {{\n key = \"0011\"\n encrypted_metadata_alias = \"{alias}\"\n}}"
        )
    };
    let fixture = Fixture::new(&named("old", "k"));
    let first = fixture.ask("key_provider.static.old", "null");
    fixture.reconfigure(&named("new", "k"));
    let second = fixture.ask("key_provider.static.new", &fed_back(&first));
    assert_eq!(
        second.keys.decryption_key,
        Some(first.keys.encryption_key.clone())
    );
    fixture.reconfigure(&named("new", ""));
    let error = fixture.refuses("key_provider.static.new", fed_back(&first).as_bytes());
    assert!(error.contains("metadata is stored under k only"), "{error}");
}

#[test]
fn decryption_without_its_metadata_is_an_error() {
    let fixture = Fixture::new(CHAIN);
    let empty = "{\"external_data\":{}}";
    let error = fixture.refuses("key_provider.pbkdf2.p", empty.as_bytes());
    assert!(error.contains("no metadata is stored"), "{error}");
    let part = r#"{"external_data":{"format_version":1,"metadata":{"key_provider.static.s":"{\"magic\":\"Hello world!\"}"}}}"#;
    let error = fixture.refuses("key_provider.pbkdf2.p", part.as_bytes());
    assert!(error.contains("key_provider.pbkdf2.p"), "{error}");
}

#[test]
fn a_provider_without_metadata_decrypts_with_none() {
    // Its operands are written out, so that nothing in the chain keeps any.
    let key = |byte: u8| {
        format!(
            "{{ encryption_key = {:?}, decryption_key = {:?} }}",
            [byte; 16], [byte; 16]
        )
    };
    let encryption = format!(
        "key_provider \"xor\" \"x\" {{\n a = {}\n b = {}\n}}",
        key(1),
        key(2)
    );
    let fixture = Fixture::new(&encryption);
    let first = fixture.ask("key_provider.xor.x", "null");
    assert_eq!(first.keys.decryption_key, None);
    for input in [fed_back(&first), "{\"external_data\":{}}".to_owned()] {
        let second = fixture.ask("key_provider.xor.x", &input);
        assert_eq!(
            second.keys.decryption_key,
            Some(first.keys.encryption_key.clone())
        );
    }
}

#[test]
fn malformed_input_is_refused() {
    let fixture = Fixture::new(STATIC);
    let ten_mebibytes = vec![b'x'; 10 << 20];
    let deep = format!(
        "{{\"external_data\":{}1{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let inputs: [&[u8]; 14] = [
        b"", b"{", b"hello", b"[]", b"1", b"null null", b"{}{}", b"{\"external_data\":[]}",
        b"{\"external_data\":{\"salt\":\"AA==\",\"iterations\":1}}",
        b"{\"external_data\":{\"format_version\":1,\"metadata\":{\"key_provider.static.other\":\"{}\"}}}",
        b"{\"external_data\":{\"format_version\":1,\"metadata\":{\"key_provider.static.s\":\"{}\"}}}",
        b"\xff\xfe", &ten_mebibytes, deep.as_bytes(),
    ];
    for input in inputs {
        let error = fixture.refuses("key_provider.static.s", input);
        assert!(!error.contains("00112233"), "{error}");
    }
}

#[test]
fn a_wrong_configuration_is_told_after_the_header() {
    let fixture =
        Fixture::new("key_provider \"static\" \"s\" {\n  key = [\"00112233445566778899\"]\n}");
    let run = fixture.send("key_provider.static.s", b"null");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert_eq!(run.stdout, format!("{HEADER}\n"));
    assert!(
        run.stderr.contains("keyhost.hcl:") && run.stderr.contains("takes a string, not a list"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("0011"), "{}", run.stderr);
}

#[test]
fn works_from_any_directory() {
    let fixture = Fixture::new(STATIC);
    let config = fixture.directory.path().join("keyhost.hcl");
    for directory in ["/", "/proc"] {
        let mut command = program();
        command
            .current_dir(Path::new(directory))
            .arg("--config")
            .arg(&config);
        let run = run(command.args(["external", "key_provider.static.s"]), b"null");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    }
}
