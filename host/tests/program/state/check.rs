//! `--check` and `verify`: what CI asks.

use std::fs;

use serde_json::{Value, json};

use super::{ROTATION, Scene, done, failed, opentofu_state};

const PLAIN: &str = r#"{"version":4,"serial":1}"#;

/// A state under the old key, one under the new, one in the clear.
fn three_states() -> Scene {
    let scene = Scene::new(ROTATION);
    let (envelope, _) = opentofu_state();
    scene.write("old", &envelope);
    scene.write("new", &envelope);
    done(scene.run(&["rotate", "new"]));
    scene.write("plain", PLAIN);
    scene
}

#[test]
fn rotate_check_names_what_the_first_method_does_not_open() {
    let scene = three_states();
    let before = (scene.read("old"), scene.read("new"));
    assert_eq!(done(scene.run(&["rotate", "--check", "new", "new"])), "");
    let run = scene.run(&["rotate", "--check", "old", "new"]);
    assert_eq!(run.stdout, "old\n");
    let said = failed(run, 1);
    assert_eq!(
        said,
        "error: 1 of 2 files is not opened by the first method\n"
    );
    let run = scene.run(&["rotate", "--check", "old", "plain", "new"]);
    assert_eq!(run.stdout, "old\n");
    let said = failed(run, 1);
    assert!(
        said.contains("plain cannot be checked: it is not encrypted"),
        "{said}"
    );
    assert!(
        said.ends_with("error: 1 of 3 files is not opened by the first method, and 1 could not be checked: 1 of 3 files failed\n"),
        "{said}"
    );
    assert_eq!((scene.read("old"), scene.read("new")), before);
    assert_eq!(scene.listing(), ["new", "old", "plain"]);
}

#[test]
fn encrypt_check_needs_neither_configuration_nor_key() {
    let scene = three_states();
    fs::remove_file(scene.path("keyhost.hcl")).expect("remove");
    assert_eq!(done(scene.run(&["encrypt", "--check", "old", "new"])), "");
    let run = scene.run(&["encrypt", "--check", "old", "plain"]);
    assert_eq!(run.stdout, "plain\n");
    let said = failed(run, 1);
    assert_eq!(said, "error: 1 of 2 files is not encrypted\n");
    let stream = scene.run_with(&["encrypt", "--check", "-"], PLAIN.as_bytes());
    assert_eq!(stream.stdout, "-\n");
    failed(stream, 1);
    failed(scene.run(&["encrypt", "--check", "plain", "--in-place"]), 2);
    assert_eq!(scene.text("plain"), PLAIN);
}

/// What is not known weighs more than what is.
#[test]
fn a_check_that_could_not_be_made_has_its_own_exit_code() {
    let scene = three_states();
    let plan = r#"{"meta":{},"encrypted_data":"AAAA","encryption_version":"v0"}"#;
    scene.write("plan", plan);
    scene.configure(&format!(
        "{ROTATION}\n  plan {{\n    method = method.aes_gcm.missing\n  }}\n"
    ));
    let run = scene.run(&["rotate", "--check", "plan", "old", "new"]);
    assert_eq!(run.stdout, "old\n");
    let said = failed(run, 3);
    assert!(
        said.contains("1 of 3 files is not opened by the first method, and 1 could not be checked"),
        "{said}"
    );
}

/// A state in the clear that has the word of an envelope in it.
#[test]
fn encrypt_check_is_not_deceived() {
    let scene = Scene::new("");
    let (envelope, _) = opentofu_state();
    scene.write("envelope", &envelope);
    scene.write(
        "both",
        envelope.replacen('{', "{\"version\":4,\"resources\":[],", 1),
    );
    scene.write("none", r#"{"version":4,"encryption_version":"v0"}"#);
    scene.write(
        "short",
        r#"{"serial":1,"lineage":"l","meta":{},"encrypted_data":"e30=","encryption_version":"v0"}"#,
    );
    let run = scene.run(&["encrypt", "--check", "envelope", "both", "none", "short"]);
    assert_eq!(run.stdout, "both\nnone\nshort\n");
    assert_eq!(failed(run, 1), "error: 3 of 4 files are not encrypted\n");
}

#[test]
fn verify_tells_which_method_opens_each_file() {
    let scene = three_states();
    let run = scene.run(&["verify", "old", "new"]);
    assert_eq!(
        done(run),
        "old: state, opened by the fallback method.aes_gcm.old\nnew: state, opened by method.aes_gcm.new\n"
    );
    let run = scene.run(&["verify", "--format", "json", "new", "plain", "old"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let error = "plain is not verified: it is not encrypted, and the configuration has no unencrypted method";
    assert_eq!(
        report,
        json!([
            {"file": "new", "target": "state", "encrypted": true, "method": "method.aes_gcm.new", "fallback": false},
            {"file": "plain", "error": error},
            {"file": "old", "target": "state", "encrypted": true, "method": "method.aes_gcm.old", "fallback": true},
        ])
    );
    let said = failed(run, 1);
    assert_eq!(
        said,
        format!("error: {error}\nerror: 1 of 3 files failed\n")
    );
}

/// The exit code of one file's failure, and of many that fail alike.
#[test]
fn a_wrong_configuration_is_told_as_such() {
    let scene = three_states();
    scene.configure("");
    failed(scene.run(&["verify", "old"]), 3);
    failed(scene.run(&["rotate", "old", "new"]), 3);
    failed(scene.run(&["rotate", "old", "missing"]), 1);
}

/// Only the key that decrypts is derived: the other would take for ever.
#[test]
fn decrypting_derives_no_key_to_encrypt_with() {
    let scene = Scene::new("");
    let (envelope, plaintext) = opentofu_state();
    scene.write("old", &envelope);
    let pbkdf2 = crate::support::component(
        "pbkdf2",
        &crate::support::guest("pbkdf2"),
        "  limits {\n    key_derivation = 5000000000\n  }\n",
    );
    let text = format!(
        "{pbkdf2}encryption {{
  key_provider \"pbkdf2\" \"old\" {{
    passphrase = \"first passphrase 0001\"
    iterations = 4000000000
  }}
  method \"aes_gcm\" \"old\" {{
    keys = key_provider.pbkdf2.old
  }}
  state {{
    method = method.aes_gcm.old
  }}
}}\n"
    );
    scene.write("keyhost.hcl", text);
    assert_eq!(done(scene.run(&["decrypt", "old"])), plaintext);
    done(scene.run(&["verify", "old"]));
    done(scene.run(&["rotate", "--check", "old"]));
}
