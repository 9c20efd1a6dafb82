//! States that a program encrypted, by OpenTofu's external method protocol.

use std::fs;
use std::path::Path;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::support::{Run, components, program, run};

const STATE: &str = "{\"version\":4,\"serial\":3,\"lineage\":\"l\",\"outputs\":{}}";
const KEY: &str = "00112233445566778899aabbccddeeff";

/// Turns each byte around with the key's bytes: enough to see that key and
/// payload arrive. Written for the protocol as OpenTofu documents it.
const PROGRAM: &str = r#"
import base64, json, sys
print(json.dumps({"magic": "OpenTofu-External-Encryption-Method", "version": 1}), flush=True)
request = json.load(sys.stdin)
key = base64.b64decode(request["key"])
data = base64.b64decode(request["payload"])
data = bytes(byte ^ key[place % len(key)] for place, byte in enumerate(data))
json.dump({"payload": base64.b64encode(data).decode()}, sys.stdout)
"#;

/// The envelope around what [`PROGRAM`] makes of [`STATE`].
fn envelope() -> String {
    let key = hex::decode(KEY).expect("key");
    let sealed: Vec<u8> = STATE
        .bytes()
        .enumerate()
        .map(|(place, byte)| byte ^ key[place % key.len()])
        .collect();
    let metadata = STANDARD.encode("{\"magic\":\"Hello world!\"}");
    format!(
        "{{\"serial\":3,\"lineage\":\"l\",\"meta\":{{\"key_provider.static.k\":\"{metadata}\"}},\"encrypted_data\":\"{}\",\"encryption_version\":\"v0\"}}",
        STANDARD.encode(sealed)
    )
}

/// A configuration whose states a command decrypts.
fn configured(command: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("directory");
    let text = format!(
        "{}encryption {{\n  key_provider \"static\" \"k\" {{\n    key = \"{KEY}\"\n  }}\n  method \"external\" \"m\" {{\n    keys            = key_provider.static.k\n    encrypt_command = [\"false\"]\n    decrypt_command = {command}\n  }}\n  state {{\n    method = method.external.m\n  }}\n}}\n",
        components()
    );
    fs::write(directory.path().join("keyhost.hcl"), text).expect("write");
    fs::write(directory.path().join("program.py"), PROGRAM).expect("write");
    fs::write(directory.path().join("state"), envelope()).expect("write");
    directory
}

fn decrypt(directory: &Path) -> Run {
    let mut command = program();
    command
        .current_dir(directory)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    run(command.args(["state", "decrypt", "state"]), b"")
}

#[test]
fn a_program_decrypts_a_state() {
    let directory = configured("[\"python3\", \"program.py\"]");
    let done = decrypt(directory.path());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(done.stdout, STATE);
}

#[test]
fn a_program_without_keys_gets_none() {
    let directory = configured(
        "[\"python3\", \"-c\", \"import json,sys; print('{\\\"magic\\\":\\\"OpenTofu-External-Encryption-Method\\\",\\\"version\\\":1}', flush=True); request = json.load(sys.stdin); sys.exit('fields ' + ' '.join(request))\"]",
    );
    let path = directory.path().join("keyhost.hcl");
    let text = fs::read_to_string(&path).expect("read");
    let failed = decrypt(directory.path());
    assert!(
        failed.stderr.contains("it said: fields key payload"),
        "{}",
        failed.stderr
    );
    let without = text.replace("keys            = key_provider.static.k\n", "");
    fs::write(&path, without).expect("write");
    let failed = decrypt(directory.path());
    assert!(
        failed.stderr.contains("it said: fields payload"),
        "{}",
        failed.stderr
    );
}

#[test]
fn programs_that_misbehave_are_told_and_open_nothing() {
    const HEADER: &str =
        r#"echo '{\"magic\":\"OpenTofu-External-Encryption-Method\",\"version\":1}'"#;
    for (script, part) in [
        ("echo hello; cat", "first line is not a header".to_owned()),
        (
            "cat >/dev/null; echo no such key >&2; exit 3",
            "the program sh failed with exit status: 3; it said: no such key".to_owned(),
        ),
        (
            &format!("{HEADER}; exec yes"),
            "since it answered more than".to_owned(),
        ),
        (
            &format!("exec <&-; {HEADER}; exit 9"),
            "exit status: 9".to_owned(),
        ),
        (
            // Another plaintext than the envelope says.
            &format!(
                "{HEADER}; cat >/dev/null; echo '{{\\\"payload\\\":\\\"{}\\\"}}'",
                STANDARD.encode("{\"serial\":4}")
            ),
            "its envelope was changed".to_owned(),
        ),
    ] {
        let directory = configured(&format!("[\"sh\", \"-c\", \"{script}\"]"));
        let begun = Instant::now();
        let failed = decrypt(directory.path());
        assert_eq!(failed.code, Some(1), "{script}: {}", failed.stderr);
        assert_eq!(failed.stdout, "", "{script}");
        assert!(failed.stderr.contains(&part), "{script}: {}", failed.stderr);
        assert!(!failed.stderr.contains(KEY), "{script}: {}", failed.stderr);
        assert!(begun.elapsed().as_secs() < 30, "{script}");
    }
}
