//! Encrypting and rotating; what comes out is opened by another reader.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use super::reader::Read;
use super::{NEW, OLD, ROTATION, STATIC, Scene, done, failed, opentofu_state};

const NEW_KEY: &str = "key_provider.pbkdf2.new";

#[test]
fn a_rotated_state_opens_with_the_new_passphrase_alone() {
    let scene = Scene::new(ROTATION);
    let (envelope, plaintext) = opentofu_state();
    scene.write("terraform.tfstate", &envelope);
    let run = scene.run(&["rotate", "terraform.tfstate"]);
    assert_eq!(run.stderr, "1 of 1 files rotated, 1 opened by a fallback\n");
    assert_eq!(done(run), "");
    let read = Read::of(&scene.read("terraform.tfstate"));
    assert_eq!(read.metadata_keys(), [NEW_KEY]);
    let key = read.derive(NEW_KEY, NEW.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.into_bytes()));
    let old = read.derive(NEW_KEY, OLD.as_bytes());
    assert_eq!(read.open(&old, b""), None);
    assert_eq!(read.fields["serial"], 7);
    assert_eq!(
        read.fields["lineage"],
        "3f1c9a52-8c7e-4a61-9d0b-6a4d3f0d9c11"
    );
}

#[test]
fn every_rotation_makes_a_new_key_of_the_same_method() {
    let scene = Scene::new(ROTATION);
    let (envelope, plaintext) = opentofu_state();
    scene.write("a", &envelope);
    let mut salts = BTreeSet::new();
    for _ in 0..3 {
        done(scene.run(&["rotate", "a"]));
        let read = Read::of(&scene.read("a"));
        salts.insert(read.metadata(NEW_KEY)["salt"].to_string());
        let key = read.derive(NEW_KEY, NEW.as_bytes());
        assert_eq!(read.open(&key, b""), Some(plaintext.clone().into_bytes()));
    }
    assert_eq!(salts.len(), 3);
}

#[test]
fn many_files_get_a_key_each_and_one_bad_file_stops_no_other() {
    let scene = Scene::new(ROTATION);
    let (envelope, plaintext) = opentofu_state();
    let names: Vec<_> = (0..12).map(|number| format!("{number}.tfstate")).collect();
    for name in &names {
        scene.write(name, &envelope);
    }
    let damaged = envelope.replace("\"encrypted_data\":\"A", "\"encrypted_data\":\"B");
    scene.write("damaged", &damaged);
    scene.write("text", "no state");
    let mut arguments = vec!["rotate", "damaged", "text", "missing"];
    arguments.extend(names.iter().map(String::as_str));
    let said = failed(scene.run(&arguments), 1);
    assert!(
        said.starts_with("12 of 15 files rotated, 12 opened by a fallback, 3 failed\n"),
        "{said}"
    );
    for failure in [
        "error: damaged cannot be rotated: no method opens it: ",
        "error: text cannot be rotated: it is no encrypted state: ",
        "error: missing cannot be rotated: No such file",
        "error: 3 of 15 files failed\n",
    ] {
        assert!(said.contains(failure), "{said}");
    }
    assert_eq!(scene.text("damaged"), damaged);
    assert_eq!(scene.text("text"), "no state");
    let mut salts = BTreeSet::new();
    for name in &names {
        let read = Read::of(&scene.read(name));
        salts.insert(read.metadata(NEW_KEY)["salt"].to_string());
        let key = read.derive(NEW_KEY, NEW.as_bytes());
        assert_eq!(read.open(&key, b""), Some(plaintext.clone().into_bytes()));
    }
    assert_eq!(salts.len(), names.len());
}

#[test]
fn encrypts_with_every_provider_of_a_chain() {
    let scene = Scene::new(
        r#"
  key_provider "static" "upstream" {
    key = "00112233445566778899aabbccddeeff"
  }
  key_provider "pbkdf2" "main" {
    chain                    = key_provider.static.upstream
    iterations               = 200000
    hash_function            = "sha256"
    key_length               = 16
    encrypted_metadata_alias = "an alias <&>"
  }
  method "aes_gcm" "main" {
    keys = key_provider.pbkdf2.main
    aad  = [1, 2, 255]
  }
  state {
    method = method.aes_gcm.main
  }
"#,
    );
    let state = r#"{"version":4,"lineage":"<a&b>","serial":12}"#;
    scene.write("plain", state);
    let written = done(scene.run(&["encrypt", "plain"]));
    assert!(
        written.starts_with(
            r#"{"serial":12,"lineage":"\u003ca\u0026b\u003e","meta":{"an alias \u003c\u0026\u003e":""#
        ),
        "{written}"
    );
    let read = Read::of(written.as_bytes());
    assert_eq!(
        read.metadata_keys(),
        ["an alias <&>", "key_provider.static.upstream"]
    );
    let upstream: Vec<u8> = (0..16).map(|byte| byte * 0x11).collect();
    let key = read.derive("an alias <&>", &upstream);
    assert_eq!(read.open(&key, &[1, 2, 255]), Some(state.into()));
    let again = scene.run_with(&["decrypt", "-"], written.as_bytes());
    assert_eq!(done(again), state);
    assert_eq!(scene.text("plain"), state);
}

#[test]
fn encrypts_and_decrypts_in_place() {
    let scene = Scene::new(STATIC);
    let state = r#"{"version":4}"#;
    for name in ["a", "b"] {
        scene.write(name, state);
    }
    let run = scene.run(&["encrypt", "--in-place", "a", "b", "./a"]);
    assert_eq!(run.stderr, "2 of 2 files encrypted\n");
    assert_eq!(done(run), "");
    for name in ["a", "b"] {
        let text = scene.text(name);
        assert!(
            text.starts_with(r#"{"serial":null,"lineage":"","meta":"#),
            "{text}"
        );
    }
    assert_ne!(scene.read("a"), scene.read("b"));
    let encrypted = scene.text("a");
    for arguments in [
        &["encrypt", "a"][..],
        &["encrypt", "a", "--in-place"],
        &["encrypt", "a", "-o", "c"],
    ] {
        let said = failed(scene.run(arguments), 1);
        assert!(
            said.contains("a cannot be encrypted: it is encrypted already: `keyhost state rotate` gives it a new key"),
            "{said}"
        );
    }
    assert_eq!(scene.text("a"), encrypted);
    assert_eq!(scene.listing(), ["a", "b"]);
    done(scene.run(&["decrypt", "--in-place", "a", "b"]));
    for name in ["a", "b"] {
        assert_eq!(scene.text(name), state);
    }
}

#[test]
fn a_link_stays_a_link_and_its_file_is_rotated_once() {
    let scene = Scene::new(ROTATION);
    let (envelope, _) = opentofu_state();
    fs::create_dir(scene.path("elsewhere")).expect("directory");
    scene.write("elsewhere/state", &envelope);
    symlink("elsewhere/state", scene.path("link")).expect("link");
    let run = scene.run(&["rotate", "link", "elsewhere/state"]);
    assert_eq!(run.stderr, "1 of 1 files rotated, 1 opened by a fallback\n");
    let target = fs::read_link(scene.path("link")).expect("link");
    assert_eq!(target.to_str(), Some("elsewhere/state"));
    let read = Read::of(&scene.read("elsewhere/state"));
    assert_eq!(read.metadata_keys(), [NEW_KEY]);
    assert_eq!(
        fs::read_dir(scene.path("elsewhere"))
            .expect("listing")
            .count(),
        1
    );
}

#[test]
fn streams_go_from_standard_input_to_standard_output() {
    let scene = Scene::new(ROTATION);
    let (envelope, plaintext) = opentofu_state();
    let rotated = scene.run_with(&["rotate", "-"], envelope.as_bytes());
    let rotated = done(rotated);
    let read = Read::of(rotated.as_bytes());
    let key = read.derive(NEW_KEY, NEW.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.clone().into_bytes()));
    let decrypted = scene.run_with(&["decrypt", "-"], rotated.as_bytes());
    assert_eq!(done(decrypted), plaintext);
    let nothing = scene.run_with(&["rotate", "-"], b"{}");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""));
}

#[test]
fn several_files_are_not_printed_in_one() {
    let scene = Scene::new(STATIC);
    for arguments in [
        &["decrypt", "a", "b"][..],
        &["encrypt", "a", "b"],
        &["encrypt", "a", "b", "-o", "c"],
        &["decrypt", "a", "-o", "c", "--in-place"],
        &["verify", "-", "-"],
        &["rotate", "a", "--target", "remote:"],
        &["rotate"],
    ] {
        failed(scene.run(arguments), 2);
    }
    assert_eq!(scene.listing(), [""; 0]);
}

/// A component that gives another key for its own metadata would lose a state.
#[test]
fn a_key_that_does_not_come_back_encrypts_nothing() {
    let scene = Scene::new("");
    let faulty =
        crate::support::component("faulty", &crate::support::guest("faulty/random_key"), "");
    let config = format!(
        "{}{faulty}encryption {{
  key_provider \"static\" \"s\" {{
    key = \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"
  }}
  key_provider \"faulty\" \"f\" {{
    key = \"correct horse battery staple\"
  }}
  method \"aes_gcm\" \"s\" {{
    keys = key_provider.static.s
  }}
  method \"aes_gcm\" \"f\" {{
    keys = key_provider.faulty.f
  }}
  state {{
    method = method.aes_gcm.f
    fallback {{
      method = method.aes_gcm.s
    }}
  }}
}}\n",
        crate::support::components()
    );
    let safe = Scene::new(STATIC);
    let encrypted = done(safe.run_with(&["encrypt", "-"], b"{\"version\":4}"));
    scene.write("keyhost.hcl", config);
    for name in ["a", "b", "c"] {
        scene.write(name, &encrypted);
    }
    let said = failed(scene.run(&["rotate", "a", "b", "c"]), 1);
    assert!(
        said.contains("method.aes_gcm.f is not safe to encrypt with: what it just encrypted, it does not decrypt again"),
        "{said}"
    );
    for name in ["a", "b", "c"] {
        assert_eq!(scene.text(name), encrypted);
    }
}
