//! What files say without any key.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Scene, done, failed, opentofu_state};

#[test]
fn shows_an_encrypted_state_without_configuration_or_key() {
    let scene = Scene::new("");
    fs::remove_file(scene.path("keyhost.hcl")).expect("remove");
    let (envelope, plaintext) = opentofu_state();
    scene.write("encrypted", &envelope);
    scene.write("plain", plaintext);
    assert_eq!(
        done(scene.run(&["inspect", "encrypted", "plain"])),
        "encrypted: state, encrypted
  size            721 bytes
  serial          7
  lineage         3f1c9a52-8c7e-4a61-9d0b-6a4d3f0d9c11
  version         v0
  encrypted data  314 bytes
  metadata        key_provider.pbkdf2.old, 116 bytes
    salt           rLvfbinohKz7Iu0AuAQZeLIDVlUO8VHvLXbALG4l2zo=
    iterations     200000
    hash_function  sha512
    key_length     32

plain: state, not encrypted
  size            286 bytes
  serial          7
  lineage         3f1c9a52-8c7e-4a61-9d0b-6a4d3f0d9c11
"
    );
    let run = scene.run_with(&["inspect", "--format", "json", "-"], envelope.as_bytes());
    let report: Value = serde_json::from_str(&done(run)).expect("JSON");
    assert_eq!(
        report,
        json!([{
            "file": "-",
            "size": 721,
            "kind": "state",
            "encrypted": true,
            "serial": 7,
            "lineage": "3f1c9a52-8c7e-4a61-9d0b-6a4d3f0d9c11",
            "encryption_version": "v0",
            "encrypted_data_size": 314,
            "metadata": [{
                "key": "key_provider.pbkdf2.old",
                "size": 116,
                "parameters": {
                    "salt": "rLvfbinohKz7Iu0AuAQZeLIDVlUO8VHvLXbALG4l2zo=",
                    "iterations": 200_000,
                    "hash_function": "sha512",
                    "key_length": 32,
                },
            }],
        }])
    );
}

#[test]
fn hostile_metadata_does_not_reach_the_terminal() {
    let scene = Scene::new("");
    let metadata = json!({"\u{1b}[2J": "\u{202e}", "long": "x".repeat(60_000)});
    let envelope = json!({
        "serial": null,
        "lineage": "\u{1b}]0;title\u{7}",
        "meta": {
            "a\u{9b}b": STANDARD.encode(metadata.to_string()),
            "c": STANDARD.encode("[".repeat(100_000)),
        },
        "encrypted_data": "AAAA",
        "encryption_version": "v0",
    });
    scene.write("hostile", envelope.to_string());
    for format in ["text", "json"] {
        let shown = done(scene.run(&["inspect", "hostile", "--format", format]));
        let harmless = |character: char| !character.is_control() || character == '\n';
        assert!(shown.chars().all(harmless), "{shown}");
        assert!(!shown.contains('\u{202e}'), "{shown}");
        assert!(shown.len() < 4_000, "{shown}");
    }
}

/// 80 MB of metadata that is as valid as can be.
#[test]
fn a_huge_envelope_is_shown_in_few_words() {
    let scene = Scene::new("");
    let metadata = STANDARD.encode(format!("{{\"a\":[{}0]}}", "0,".repeat(30_000)));
    let meta: serde_json::Map<_, _> = (0..1_000)
        .map(|number| (format!("k{number:03}"), json!(metadata)))
        .collect();
    let envelope = json!({"meta": meta, "encrypted_data": "AAAA", "encryption_version": "v0"});
    scene.write("huge", envelope.to_string());
    let text = done(scene.run(&["inspect", "huge"]));
    assert!(text.len() < 100_000, "{}", text.len());
    assert!(text.contains("\n    and 29902 more\n"), "{text}");
    assert!(
        text.ends_with("\n  metadata        and 900 more\n"),
        "{text}"
    );
    let report = done(scene.run(&["inspect", "huge", "--format", "json"]));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report[0]["more"], 900);
    let entries = report[0]["metadata"].as_array().expect("metadata");
    assert_eq!(entries.len(), 100);
    assert_eq!(entries[0]["more"], 29_902);
    let shown = entries[0]["parameters"]["a"].as_array().expect("values");
    assert_eq!(shown.len(), 99);
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let scene = Scene::new("");
    let (envelope, _) = opentofu_state();
    scene.write("good", envelope);
    scene.write("bad", "{\"version\": \"\u{1b}\"");
    let run = scene.run(&["inspect", "bad", "missing", "good", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report[0]["file"], "bad");
    assert!(report[0]["error"].is_string());
    assert!(report[1]["error"].is_string());
    assert_eq!(report[2]["serial"], 7);
    let said = failed(run, 1);
    assert!(said.ends_with("error: 2 of 3 files failed\n"), "{said}");
}
