//! The `vault` helper: what lies in the storage, and what it needs.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use keyhost::storage::Storage;

use super::{KEYS, RECORDS, Scene, TOKEN, base, done, helper, kept, refused, shows, vault};
use crate::support::{component, guest};

#[test]
fn the_database_holds_no_token() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("example.com");
    scene.keep("example.org");
    done(&scene.get("example.com"), &kept());
    let bytes = fs::read(scene.database()).expect("database");
    assert!(!shows(&bytes, TOKEN));
    assert!(!shows(&bytes, "correct-horse-battery-staple"));
    // The same search finds what is not sealed.
    scene
        .storage()
        .set("plain", "example.com", kept().as_bytes())
        .expect("the storage writes");
    let bytes = fs::read(scene.database()).expect("database");
    assert!(shows(&bytes, TOKEN));
}

#[test]
fn equal_tokens_are_not_equal_records() {
    let scene = Scene::vault();
    scene.keep("example.com");
    scene.keep("example.org");
    let record = |host| scene.storage().get(RECORDS, host).expect("it reads");
    let (com, org) = (record("example.com"), record("example.org"));
    assert_ne!(com, org);
    scene.keep("example.com");
    assert_ne!(record("example.com"), com);
}

#[test]
fn the_files_are_their_owners_alone() {
    let scene = Scene::new(&vault("static.s").replace("tokens.redb", "a/b/tokens.redb"));
    scene.keep("example.com");
    let mode = |name| {
        let metadata = fs::metadata(scene.path(name)).expect(name);
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("a/b/tokens.redb"), 0o600);
    assert_eq!((mode("a"), mode("a/b")), (0o700, 0o700));
    let left = fs::read_dir(scene.path("a/b")).expect("directory");
    assert_eq!(left.count(), 1, "only the database stays");
}

#[test]
fn a_database_that_others_could_read_is_not_used() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let open = fs::Permissions::from_mode(0o644);
    fs::set_permissions(scene.database(), open).expect("chmod");
    refused(&scene.get("example.com"), 1, &["tokens.redb"]);
}

#[test]
fn without_a_storage_block_the_users_own_is_used() {
    let config = vault("static.s").replace("storage \"file\" {\n  path = \"tokens.redb\"\n}\n", "");
    let scene = Scene::new(&config);
    scene.keep("example.com");
    done(&scene.get("example.com"), &kept());
    let path = scene.path("home/.local/share/keyhost/storage.redb");
    let mode = fs::metadata(path).expect("storage").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut elsewhere = scene.command(&["get", "example.com"]);
    elsewhere.env("XDG_DATA_HOME", scene.path("data"));
    done(&crate::support::run(&mut elsewhere, b""), "{}\n");
}

#[test]
fn without_the_grant_the_component_is_refused() {
    let granted = component("vault", &guest("vault"), "  grants { storage = true }");
    for grants in ["", "  grants { storage = false }"] {
        let denied = component("vault", &guest("vault"), grants);
        let scene = Scene::new(&vault("static.s").replace(&granted, &denied));
        let answer = scene.get("example.com");
        refused(&answer, 4, &["keyhost.hcl:", "grants { storage = true }"]);
        let answer = scene.store("example.com", &super::object(TOKEN));
        refused(&answer, 4, &["grants { storage = true }"]);
        assert!(!shows(answer.stderr.as_bytes(), TOKEN));
        assert!(!scene.database().exists());
    }
}

#[test]
fn a_key_of_another_length_is_told() {
    let scene = Scene::new(&vault("static.short"));
    for answer in [scene.get("a.b"), scene.store("a.b", &super::object(TOKEN))] {
        refused(&answer, 1, &["key has 16 bytes", "32"]);
    }
    let config = base() + &helper("static.s", Some("static.short"));
    scene.configure(&config);
    refused(&scene.get("a.b"), 1, &["previous_key has 16 bytes", "32"]);
}

#[test]
fn a_missing_or_unknown_key_is_a_mistake_of_the_configuration() {
    let scene = Scene::new(&(base() + "credentials_helper \"vault\" {\n}\n"));
    refused(&scene.get("example.com"), 3, &["keyhost.hcl:", "key"]);
    scene.configure(&vault("static.unknown"));
    let answer = scene.get("example.com");
    refused(&answer, 3, &["keyhost.hcl:", "key_provider.static.unknown"]);
}

#[test]
fn damaged_metadata_is_told_and_left() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("example.com");
    let storage = scene.storage();
    let keys = storage.keys(KEYS).expect("it lists");
    assert_eq!(keys, ["key_provider.pbkdf2.main"]);
    let good = storage.get(KEYS, &keys[0]).expect("it reads");
    let good = String::from_utf8(good.expect("metadata")).expect("JSON");
    for bad in [
        String::new(),
        "{}".to_owned(),
        "no JSON".to_owned(),
        good.replace("\"format_version\":1", "\"format_version\":2"),
        good[..good.len() / 2].to_owned(),
        "{\"format_version\":1,\"metadata\":[]}".to_owned(),
    ] {
        assert_ne!(bad, good);
        storage.set(KEYS, &keys[0], bad.as_bytes()).expect("set");
        let store = || scene.store("b.example", &super::object(TOKEN));
        for answer in [scene.get("example.com"), scene.get("b.example"), store()] {
            refused(&answer, 1, &["key_provider.pbkdf2.main", "damaged"]);
        }
        let after = storage.get(KEYS, &keys[0]).expect("it reads");
        assert_eq!(after.as_deref(), Some(bad.as_bytes()));
    }
    storage.set(KEYS, &keys[0], good.as_bytes()).expect("set");
    done(&scene.get("example.com"), &kept());
}
