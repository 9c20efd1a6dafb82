//! The pbkdf2 provider of every language is one and the same.

use std::process::Command;

use keyhost::key_provider::metadata::{Purpose, StoredMetadata};

use crate::support::{built, provide, run};

const ATTRIBUTES: &str = "passphrase = \"correct horse battery staple\"\niterations = 200000";

#[test]
fn one_report_over_all_languages() {
    let components = built();
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyhost"));
    command.args(["compliance", "--strict", "--jobs", "2"]);
    command.args(components.iter().map(|(_, path)| path));
    let report = String::from_utf8(run(&mut command).stdout).expect("UTF-8");
    let whole = format!("{0} of {0} components hold all checks", components.len());
    assert!(report.contains(&whole), "{report}");
}

#[test]
fn each_opens_what_every_other_made() {
    let components = built();
    for (maker, path) in &components {
        let made = provide(path, "", ATTRIBUTES, &Purpose::Encrypt).expect(maker);
        assert!(made.keys.decryption_key.is_none(), "{maker}");
        let stored: StoredMetadata = made.metadata.clone().into_iter().collect();
        for (opener, path) in &components {
            let purpose = Purpose::Decrypt(stored.clone());
            let opened = provide(path, "", ATTRIBUTES, &purpose).expect(opener);
            let key = opened.keys.decryption_key.expect("decryption key");
            assert!(
                key.expose() == made.keys.encryption_key.expose(),
                "{opener} derives another key than {maker} made"
            );
            assert!(
                opened.keys.encryption_key.expose() != made.keys.encryption_key.expose(),
                "{opener} made no new key"
            );
        }
    }
}

#[test]
fn each_writes_metadata_as_opentofu_does() {
    for (language, path) in built() {
        let made = provide(&path, "", ATTRIBUTES, &Purpose::Encrypt).expect(language);
        let text = made.metadata.values().next().expect("metadata");
        let rest = text.strip_prefix("{\"salt\":\"").expect(text);
        let (salt, rest) = rest.split_at(44);
        assert!(salt.ends_with('='), "{language}: {text}");
        let expected = "\",\"iterations\":200000,\"hash_function\":\"sha512\",\"key_length\":32}";
        assert_eq!(rest, expected, "{language}");
    }
}
