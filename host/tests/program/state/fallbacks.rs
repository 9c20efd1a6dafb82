//! Which method opens what, and what is said where none does.

use serde_json::Value;

use super::reader::Read;
use super::{NEW, OLD, ROTATION, STATIC, Scene, done, failed, opentofu_state};

/// A file in the clear is let in by `unencrypted`, and encrypted.
#[test]
fn migrates_from_the_clear_and_back() {
    let plain = r#"{"version":4,"serial":3,"lineage":"l"}"#;
    let migration = |first: &str, fallback: &str| {
        format!(
            "key_provider \"pbkdf2\" \"p\" {{
               passphrase = \"{NEW}\"
               iterations = 200000
             }}
             method \"aes_gcm\" \"a\" {{
               keys = key_provider.pbkdf2.p
             }}
             method \"unencrypted\" \"u\" {{}}
             state {{
               method = method.{first}
               fallback {{
                 method = method.{fallback}
               }}
             }}"
        )
    };
    let scene = Scene::new(&migration("aes_gcm.a", "unencrypted.u"));
    scene.write("a", plain);
    assert_eq!(
        done(scene.run(&["verify", "a"])),
        "a: state, in the clear, as allowed by method.unencrypted.u\n"
    );
    done(scene.run(&["rotate", "a"]));
    let read = Read::of(&scene.read("a"));
    let key = read.derive("key_provider.pbkdf2.p", NEW.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plain.into()));
    scene.configure(&migration("unencrypted.u", "aes_gcm.a"));
    let run = scene.run(&["rotate", "--check", "a"]);
    assert_eq!(run.stdout, "a\n");
    failed(run, 1);
    done(scene.run(&["rotate", "a"]));
    assert_eq!(scene.text("a"), plain);
    let run = scene.run(&["rotate", "a"]);
    assert_eq!(run.stderr, "0 of 1 files rotated, 1 unchanged\n");
    done(run);
    // To encrypt without encrypting is no success.
    for arguments in [
        &["encrypt", "a"][..],
        &["encrypt", "a", "-o", "b"],
        &["encrypt", "--in-place", "a"],
    ] {
        let run = scene.run(arguments);
        assert_eq!(run.stdout, "");
        let said = failed(run, 1);
        assert!(
            said.contains("a cannot be encrypted: the target's first method is unencrypted: put one before it that encrypts"),
            "{said}"
        );
        assert_eq!(scene.text("a"), plain);
        assert_eq!(scene.listing(), ["a"]);
    }
}

#[test]
fn a_provider_that_fails_does_not_stop_a_fallback() {
    let (envelope, plaintext) = opentofu_state();
    let broken = [
        // Too short for the provider.
        (
            "passphrase = \"second passphrase 0002\"",
            "passphrase = \"short\"",
        ),
        // Of the wrong kind.
        (
            "iterations = 200000\n  }\n  method \"aes_gcm\" \"old\"",
            "iterations = [1]\n  }\n  method \"aes_gcm\" \"old\"",
        ),
        // Not there.
        (
            "key_provider \"pbkdf2\" \"new\"",
            "key_provider \"nothing\" \"new\"",
        ),
    ];
    for (before, after) in broken {
        let encryption = ROTATION.replace(before, after);
        let encryption = if after.contains("nothing") {
            encryption.replace("key_provider.pbkdf2.new", "key_provider.nothing.new")
        } else {
            encryption
        };
        assert_ne!(encryption, ROTATION);
        let scene = Scene::new(&encryption);
        scene.write("a", &envelope);
        assert_eq!(done(scene.run(&["decrypt", "a"])), plaintext, "{after}");
        // There is nothing to encrypt with.
        let run = scene.run(&["rotate", "a"]);
        assert!(
            run.stderr.contains("method.aes_gcm.new has no key: "),
            "{}",
            run.stderr
        );
        assert_ne!(run.code, Some(0));
        assert_eq!(scene.text("a"), envelope);
    }
}

#[test]
fn one_metadata_key_may_serve_two_passphrases() {
    let encryption = ROTATION.replace(
        "    iterations = 200000\n",
        "    iterations = 200000\n    encrypted_metadata_alias = \"key_provider.pbkdf2.old\"\n",
    );
    let scene = Scene::new(&encryption);
    let (envelope, plaintext) = opentofu_state();
    scene.write("a", &envelope);
    let run = scene.run(&["rotate", "a"]);
    assert_eq!(run.stderr, "1 of 1 files rotated, 1 opened by a fallback\n");
    done(run);
    let read = Read::of(&scene.read("a"));
    let key = read.derive("key_provider.pbkdf2.old", NEW.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.into_bytes()));
    let run = scene.run(&["rotate", "a"]);
    assert_eq!(run.stderr, "1 of 1 files rotated\n");
}

#[test]
fn a_wrong_key_is_told_from_damage() {
    let (envelope, _) = opentofu_state();
    let wrong = ROTATION.replace(OLD, "another passphrase 3");
    let scene = Scene::new(&wrong);
    scene.write("a", &envelope);
    let said = failed(scene.run(&["verify", "a"]), 1);
    for part in [
        "method.aes_gcm.new: key_provider.pbkdf2.new: to decrypt, its metadata is needed under \"key_provider.pbkdf2.new\", but metadata is stored under key_provider.pbkdf2.old only",
        "method.aes_gcm.old: the key of key_provider.pbkdf2.old by the metadata key_provider.pbkdf2.old does not open it: the key or the aad is wrong, or the data was changed",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let fields: Value = serde_json::from_str(&envelope).expect("JSON");
    let data = fields["encrypted_data"].as_str().expect("data");
    scene.configure(ROTATION);
    for (changed, part) in [
        (
            envelope.replace(data, ""),
            "the encrypted data is damaged: of at least 28 bytes there are 0",
        ),
        (
            envelope.replace(data, &data[..8]),
            "the encrypted data is damaged: of at least 28 bytes there are 6",
        ),
        (
            envelope.replace(data, &data[1..]),
            "encrypted_data is not standard base64",
        ),
        (
            envelope.replace(data, &data[4..]),
            "the key or the aad is wrong, or the data was changed",
        ),
        (
            envelope[..envelope.len() / 2].to_owned(),
            "it is not valid JSON at line 1 column",
        ),
        (
            envelope.replace("v0", "v1"),
            "its encryption_version is not \"v0\"",
        ),
        (
            envelope.replace("\"serial\":7", "\"serial\":8"),
            "its envelope was changed: serial is not that of the state inside",
        ),
        (
            envelope.replace("key_provider.pbkdf2.old", "key_provider.pbkdf2.older"),
            "metadata is stored under key_provider.pbkdf2.older only",
        ),
    ] {
        assert_ne!(changed, envelope);
        scene.write("a", &changed);
        let said = failed(scene.run(&["rotate", "a"]), 1);
        assert!(said.contains(part), "{said}");
        assert_eq!(scene.text("a"), changed);
    }
}

#[test]
fn a_wrong_key_names_all_metadata_that_there_is() {
    let (envelope, _) = opentofu_state();
    let mut fields: Value = serde_json::from_str(&envelope).expect("JSON");
    for number in 0..6 {
        fields["meta"][format!("other.{number}")] = "e30=".into();
    }
    let scene = Scene::new(
        r#"
  key_provider "pbkdf2" "old" {
    passphrase = "another passphrase 3"
  }
  method "aes_gcm" "old" {
    keys = key_provider.pbkdf2.old
  }
  state {
    method = method.aes_gcm.old
  }
"#,
    );
    scene.write("a", fields.to_string());
    assert_eq!(
        failed(scene.run(&["decrypt", "a"]), 1),
        "error: a cannot be decrypted: no method opens it: method.aes_gcm.old: the key of key_provider.pbkdf2.old by the metadata key_provider.pbkdf2.old does not open it: the key or the aad is wrong, or the data was changed (the file has metadata under key_provider.pbkdf2.old, other.0, other.1, other.2, other.3 and 2 more)\n"
    );
}

/// Keys of a file that no provider of the configuration wrote.
#[test]
fn another_providers_file_is_told_as_such() {
    let scene = Scene::new(STATIC);
    let (envelope, _) = opentofu_state();
    scene.write("a", envelope);
    let said = failed(scene.run(&["decrypt", "a"]), 1);
    assert!(
        said.contains("key_provider.static.s: to decrypt, its metadata is needed under \"key_provider.static.s\", but metadata is stored under key_provider.pbkdf2.old only"),
        "{said}"
    );
}
