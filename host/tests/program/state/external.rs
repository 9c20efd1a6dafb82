//! Encrypting by a program, of OpenTofu's external method protocol.

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{Scene, done, failed};
use crate::support::{Run, run};

const STATE: &str = r#"{"version":4,"serial":3,"lineage":"l"}"#;

/// Adds the first byte of the key to each byte, or takes it away: written for
/// the protocol as OpenTofu documents it.
const PROGRAM: &str = r#"
import base64, json, sys
print(json.dumps({"magic": "OpenTofu-External-Encryption-Method", "version": 1}), flush=True)
request = json.load(sys.stdin)
shift = base64.b64decode(request["key"])[0] * int(sys.argv[1])
data = bytes((byte + shift) % 256 for byte in base64.b64decode(request["payload"]))
json.dump({"payload": base64.b64encode(data).decode()}, sys.stdout)
"#;

fn scene(encrypt: &str, decrypt: &str) -> Scene {
    let scene = Scene::new(&format!(
        "key_provider \"static\" \"s\" {{
           key = \"07112233445566778899aabbccddeeff\"
         }}
         method \"external\" \"e\" {{
           keys            = key_provider.static.s
           encrypt_command = [\"python3\", \"program.py\", \"{encrypt}\"]
           decrypt_command = [\"python3\", \"program.py\", \"{decrypt}\"]
         }}
         state {{
           method = method.external.e
         }}"
    ));
    scene.write("program.py", PROGRAM);
    scene.write("a", STATE);
    scene
}

fn with_python(scene: &Scene, arguments: &[&str]) -> Run {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command: &mut Command = &mut scene.command(arguments);
    run(command.env("PATH", path), b"")
}

#[test]
fn a_program_encrypts_and_rotates() {
    let scene = scene("1", "-1");
    done(with_python(&scene, &["encrypt", "--in-place", "a"]));
    for _ in 0..2 {
        let envelope: Value = serde_json::from_slice(&scene.read("a")).expect("JSON");
        let keys = envelope["meta"].as_object().expect("meta").keys();
        assert_eq!(keys.collect::<Vec<_>>(), ["key_provider.static.s"]);
        assert_eq!(envelope["serial"], 3);
        let data = envelope["encrypted_data"].as_str().expect("data");
        let shifted: Vec<u8> = STATE.bytes().map(|byte| byte.wrapping_add(7)).collect();
        assert_eq!(STANDARD.decode(data).expect("base64"), shifted);
        done(with_python(&scene, &["rotate", "a"]));
    }
    assert_eq!(done(with_python(&scene, &["decrypt", "a"])), STATE);
}

#[test]
fn a_program_that_does_not_decrypt_what_it_encrypts_is_not_used() {
    let scene = scene("1", "-2");
    let said = failed(with_python(&scene, &["encrypt", "--in-place", "a"]), 1);
    assert!(
        said.contains("method.external.e is not safe to encrypt with"),
        "{said}"
    );
    assert_eq!(scene.text("a"), STATE);
}

/// The program loses the end of large payloads alone.
#[test]
fn every_file_is_seen_to_open_again() {
    let scene = scene("1", "-1");
    let lossy = PROGRAM.replace("json.dump(", "data = data[:100]\njson.dump(");
    assert_ne!(lossy, PROGRAM);
    scene.write("program.py", lossy);
    let large = format!(r#"{{"version":4,"lineage":"{}"}}"#, "l".repeat(200));
    for name in ["b", "c"] {
        scene.write(name, &large);
    }
    let run = with_python(
        &scene,
        &["encrypt", "--in-place", "--jobs", "1", "a", "b", "c"],
    );
    for name in ["b", "c"] {
        assert_eq!(scene.text(name), large);
        let error = format!(
            "error: {name} cannot be encrypted: method.external.e is not safe to encrypt with"
        );
        assert!(run.stderr.contains(&error), "{}", run.stderr);
    }
    assert!(
        run.stderr.contains("1 of 3 files encrypted, 2 failed"),
        "{}",
        run.stderr
    );
    failed(run, 1);
    assert_eq!(done(with_python(&scene, &["decrypt", "a"])), STATE);
}

/// Keys that are written out can be a pair: the one that encrypts does not
/// decrypt.
#[test]
fn a_pair_of_keys_encrypts_many_files() {
    let scene = scene("1", "1");
    // The first bytes of the keys cancel each other out.
    scene.configure(
        "method \"external\" \"e\" {
           keys = {
             encryption_key = [7, 18, 51, 68]
             decryption_key = [249, 18, 51, 68]
           }
           encrypt_command = [\"python3\", \"program.py\", \"1\"]
           decrypt_command = [\"python3\", \"program.py\", \"1\"]
         }
         state {
           method = method.external.e
         }",
    );
    scene.write("b", STATE);
    done(with_python(&scene, &["encrypt", "--in-place", "a", "b"]));
    for name in ["a", "b"] {
        assert_eq!(done(with_python(&scene, &["decrypt", name])), STATE);
    }
}

/// A program that does not know the file cannot say so: it has no tag.
#[test]
fn garbage_of_a_program_does_not_stop_a_fallback() {
    let (envelope, plaintext) = super::opentofu_state();
    let scene = scene("1", "-1");
    scene.configure(&format!(
        "{}
         method \"external\" \"e\" {{
           encrypt_command = [\"cat\"]
           decrypt_command = [\"python3\", \"garbage.py\"]
         }}",
        super::ROTATION.replace(
            "    method = method.aes_gcm.new\n    fallback",
            "    method = method.external.e\n    fallback"
        )
    ));
    for payload in [b"garbage".as_slice(), STATE.as_bytes()] {
        let payload = STANDARD.encode(payload);
        scene.write(
            "garbage.py",
            format!(
                "print('{{\"magic\":\"OpenTofu-External-Encryption-Method\",\"version\":1}}')\nprint('{{\"payload\":\"{payload}\"}}')\n"
            ),
        );
        scene.write("a", &envelope);
        assert_eq!(done(with_python(&scene, &["decrypt", "a"])), plaintext);
    }
    // Alone, it is told as what it is.
    scene.write("b", envelope.replace("pbkdf2.old", "pbkdf2.other"));
    let said = failed(with_python(&scene, &["decrypt", "b"]), 1);
    assert!(
        said.contains("no method opens it: method.external.e: its envelope was changed: serial is not that of the state inside; method.aes_gcm.old: "),
        "{said}"
    );
}
