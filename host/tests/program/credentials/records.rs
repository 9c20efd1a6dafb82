//! Sealed records that somebody changed: an error, and never `{}`.

use keyhost::storage::Storage;

use super::{KEYS, RECORDS, Scene, TOKEN, done, kept, object, refused, vault};

#[test]
fn a_record_opens_for_its_own_host_alone() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let storage = scene.storage();
    let record = storage.get(RECORDS, "example.com").expect("it reads");
    let record = record.expect("record");
    for host in ["example.org", "example.com:8443", "com"] {
        storage.set(RECORDS, host, &record).expect("set");
        refused(&scene.get(host), 1, &[host, "does not open"]);
    }
    done(&scene.get("example.com"), &kept());
}

#[test]
fn records_that_changed_places_do_not_open() {
    let scene = Scene::vault();
    let hosts = ["a.example", "b.example"];
    let storage = scene.storage();
    let records = hosts.map(|host| {
        done(&scene.store(host, &object(host)), "");
        let record = storage.get(RECORDS, host).expect("it reads");
        record.expect("record")
    });
    storage.set(RECORDS, hosts[0], &records[1]).expect("set");
    storage.set(RECORDS, hosts[1], &records[0]).expect("set");
    for host in hosts {
        refused(&scene.get(host), 1, &[host]);
    }
}

#[test]
fn a_changed_record_is_an_error() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let storage = scene.storage();
    let record = storage.get(RECORDS, "example.com").expect("it reads");
    let record = record.expect("record");
    let flipped = |at: usize| {
        let mut changed = record.clone();
        changed[at] ^= 1;
        changed
    };
    for changed in [
        flipped(0),
        flipped(record.len() / 2),
        flipped(record.len() - 1),
        record[1..].to_vec(),
        record[..record.len() - 1].to_vec(),
        record[..12].to_vec(),
        [&record[..], b"\0"].concat(),
        b"{}".to_vec(),
        object(TOKEN).into_bytes(),
        Vec::new(),
    ] {
        storage.set(RECORDS, "example.com", &changed).expect("set");
        refused(&scene.get("example.com"), 1, &["example.com"]);
        let kept = storage.get(RECORDS, "example.com").expect("it reads");
        assert_eq!(kept, Some(changed), "the record is left as it is");
    }
    // It can be replaced and forgotten all the same.
    scene.keep("example.com");
    done(&scene.get("example.com"), &kept());
    storage.set(RECORDS, "example.com", b"").expect("set");
    done(&scene.forget("example.com"), "");
    done(&scene.get("example.com"), "{}\n");
}

#[test]
fn a_record_without_its_keys_metadata_is_an_error() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("example.com");
    let storage = scene.storage();
    storage
        .delete(KEYS, "key_provider.pbkdf2.main")
        .expect("delete");
    refused(&scene.get("example.com"), 1, &["example.com"]);
}

#[test]
fn a_damaged_database_is_an_error_and_is_left() {
    let scene = Scene::vault();
    scene.keep("example.com");
    for bytes in [&b"no database"[..], b""] {
        std::fs::write(scene.database(), bytes).expect("write");
        let store = || scene.store("example.com", &object(TOKEN));
        for answer in [
            scene.get("example.com"),
            scene.forget("example.com"),
            store(),
        ] {
            refused(&answer, 1, &["tokens.redb"]);
        }
        assert_eq!(std::fs::read(scene.database()).expect("read"), bytes);
    }
}

/// Whoever writes the storage before the first store would otherwise choose how
/// cheap it is to guess the passphrase.
#[test]
fn metadata_without_its_proof_makes_no_key() {
    let scene = Scene::new(&vault("pbkdf2.main"));
    scene.keep("example.com");
    let storage = scene.storage();
    let address = "key_provider.pbkdf2.main";
    let record = storage
        .get(KEYS, address)
        .expect("it reads")
        .expect("record");
    let record = String::from_utf8(record).expect("UTF-8");
    let weaker = record.replace("200000", "1");
    assert_ne!(weaker, record);
    storage.set(KEYS, address, weaker.as_bytes()).expect("set");
    let told = [address, "the storage was changed"];
    refused(&scene.get("example.com"), 1, &told);
    refused(&scene.store("example.com", &object(TOKEN)), 1, &told);
}
