//! From one key to another.

use keyhost::storage::Storage;

use super::{RECORDS, Scene, TOKEN, base, done, encryption, helper, kept, object, refused, vault};

/// One key, then two, then the other.
fn rotate(old: &str, new: &str) {
    let scene = Scene::new(&vault(old));
    scene.keep("got.example");
    scene.keep("left.example");
    let record = |host| scene.storage().get(RECORDS, host).expect("it reads");
    let before = ["got.example", "left.example"].map(record);

    scene.configure(&vault(new));
    refused(&scene.get("got.example"), 1, &["previous_key"]);
    let unchanged = ["got.example", "left.example"].map(record);
    assert_eq!(unchanged, before, "what does not open is left");

    scene.configure(&(base() + &helper(new, Some(old))));
    done(&scene.get("got.example"), &kept());
    assert_ne!(record("got.example"), before[0], "it is sealed anew");
    assert_eq!(record("left.example"), before[1]);
    let sealed = record("got.example");
    done(&scene.get("got.example"), &kept());
    assert_eq!(record("got.example"), sealed, "and that once");

    scene.configure(&vault(new));
    done(&scene.get("got.example"), &kept());
    refused(&scene.get("left.example"), 1, &["previous_key"]);

    scene.configure(&vault(old));
    done(&scene.get("left.example"), &kept());
}

#[test]
fn a_fixed_key_is_rotated() {
    rotate("static.s", "static.other");
}

/// Its key depends on a salt in metadata that must be kept before a record is
/// sealed: a `get` that seals anew needs it, too.
#[test]
fn a_derived_key_is_rotated_by_get() {
    rotate("pbkdf2.main", "pbkdf2.new");
}

#[test]
fn a_derived_key_replaces_a_fixed_one() {
    rotate("static.s", "pbkdf2.new");
}

#[test]
fn a_derived_key_is_rotated_by_store() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("old.example");
    scene.configure(&(base() + &helper("pbkdf2.new", Some("pbkdf2.main"))));
    scene.keep("new.example");
    done(&scene.get("old.example"), &kept());
    scene.configure(&vault("pbkdf2.new"));
    for host in ["old.example", "new.example"] {
        done(&scene.get(host), &kept());
    }
}

#[test]
fn a_changed_passphrase_is_told_and_the_old_one_opens_again() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("example.com");
    let old = encryption("correct-horse-battery-staple");
    let new = encryption("wrong-horse-battery-staple");
    scene.configure(&vault("pbkdf2.main").replace(&old, &new));
    // Nothing is stored under a key that nobody will find again.
    for answer in [
        scene.get("example.com"),
        scene.store("example.com", &object(TOKEN)),
    ] {
        refused(
            &answer,
            1,
            &["key_provider.pbkdf2.main", "passphrase is another one"],
        );
        assert!(!answer.stderr.contains("horse"), "{}", answer.stderr);
    }
    scene.configure(&vault("pbkdf2.main"));
    done(&scene.get("example.com"), &kept());
}
