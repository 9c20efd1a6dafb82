//! Ephemeral resources under the real `terraform`, backed by the built guests.
//! Skipped, and loudly so, where there is no terraform.

#![allow(missing_docs)]

mod client;
#[path = "../guests/mod.rs"]
mod guests;

use std::fs;
use std::thread;
use std::time::Duration;

use client::{Client, SECOND};
use keyhost::storage::Storage;
use rustix::process::Signal;

/// A session that a command uses for a while.
const SESSION: &str = r#"
ephemeral "keyhost_session" "ci" {
  key      = "key_provider.static.main"
  subject  = "ci"
  lifetime = 3
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command     = "printf %s \"$TOKEN\" > token; sleep 7"
    environment = { TOKEN = ephemeral.keyhost_session.ci.token }
  }
}
"#;

#[test]
fn a_session_is_renewed_during_the_apply_and_revoked_after() {
    let Some(client) = Client::new(SESSION) else {
        return;
    };
    let mut apply = client.start(&["apply", "-auto-approve"]);
    let lease = client.wait_for_lease();
    let mut ends = Vec::new();
    while apply.try_wait().expect("terraform").is_none() {
        ends.extend(client.end_of(&lease));
        thread::sleep(SECOND / 5);
    }
    assert!(apply.wait().expect("terraform").success());
    ends.dedup();
    assert!(ends.is_sorted(), "{ends:?}");
    // Seven seconds with a lease of three.
    assert!(ends.len() >= 3, "renewed twice at least: {ends:?}");
    client.assert_nothing_open();
    let token = fs::read_to_string(client.work().join("token")).expect("token");
    assert!(token.starts_with("ey"), "{token}");
    client.assert_not_in_state(&token);
}

#[test]
fn keys_come_from_the_configured_key_provider() {
    let configuration = r#"
ephemeral "keyhost_key" "main" {
  key_provider = "key_provider.static.main"
}

ephemeral "keyhost_derived_key" "backup" {
  key     = "key_provider.static.main"
  context = "backup"
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command = "printf '%s %s' \"$KEY\" \"$SUBKEY\" > keys"
    environment = {
      KEY    = ephemeral.keyhost_key.main.hex
      SUBKEY = ephemeral.keyhost_derived_key.backup.hex
    }
  }
}
"#;
    let Some(client) = Client::new(configuration) else {
        return;
    };
    let run = client.run(&["apply", "-auto-approve"]);
    assert!(run.success, "{}", run.output);
    let keys = fs::read_to_string(client.work().join("keys")).expect("keys");
    let (key, subkey) = keys.split_once(' ').expect("two keys");
    assert_eq!(key, client::KEY);
    // As in the guest's own cases.
    let cases = guests::guest("derived-key").with_extension("compliance.toml");
    let cases = fs::read_to_string(cases).expect("cases");
    assert!(cases.contains(&format!("hex = \"{subkey}\"")), "{subkey}");
    client.assert_not_in_state(key);
    client.assert_not_in_state(subkey);
}

/// A child module hands the value on by an ephemeral output.
#[test]
fn an_ephemeral_output_carries_the_value() {
    let configuration = r#"
module "session" {
  source = "./session"
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command     = "printf %s \"$TOKEN\" > token"
    environment = { TOKEN = module.session.token }
  }
}
"#;
    let module = r#"
ephemeral "keyhost_session" "ci" {
  key     = "key_provider.static.main"
  subject = "ci"
}

output "token" {
  value     = ephemeral.keyhost_session.ci.token
  ephemeral = true
}
"#;
    let Some(client) = Client::new(configuration) else {
        return;
    };
    client.write_module("session", module);
    let run = client.run(&["get"]);
    assert!(run.success, "{}", run.output);
    // A saved plan opens in the plan and again in its apply.
    for arguments in [
        &["plan", "-out=plan"][..],
        &["apply", "plan"],
        &["destroy", "-auto-approve"],
    ] {
        let run = client.run(arguments);
        assert!(run.success, "{}", run.output);
        client.assert_nothing_open();
    }
    let token = fs::read_to_string(client.work().join("token")).expect("token");
    assert!(token.starts_with("ey"), "{token}");
    client.assert_not_in_state(&token);
    let plan = fs::read(client.work().join("plan")).expect("plan");
    let found = plan
        .windows(token.len())
        .any(|window| window == token.as_bytes());
    assert!(!found, "the token is in the plan");
}

#[test]
fn mistakes_are_told_at_their_attribute() {
    for (from, to, told) in [
        (
            "lifetime = 3",
            "lifetime = 1",
            "lifetime is at least 2 seconds",
        ),
        (
            "key_provider.static.main",
            "key_provider.static.other",
            "has no key_provider.static.other",
        ),
        (
            "key_provider.static.main",
            "static.main",
            "an address of the form",
        ),
        (
            "subject  = \"ci\"",
            "",
            "The argument \"subject\" is required",
        ),
    ] {
        let Some(client) = Client::new(&SESSION.replace(from, to)) else {
            return;
        };
        let run = client.run(&["plan"]);
        assert!(!run.success, "{}", run.output);
        let output = run.output.replace("\n│ ", " ");
        assert!(output.contains(told), "{told}: {output}");
        client.assert_nothing_open();
    }
}

#[test]
fn a_missing_configuration_is_a_diagnostic() {
    let Some(client) = Client::new(SESSION) else {
        return;
    };
    fs::remove_file(client.work().join("keyhost.hcl")).expect("configuration");
    let configuration =
        "ephemeral \"keyhost_key\" \"a\" {\n  key_provider = \"key_provider.static.main\"\n}\n";
    client.write(configuration);
    let run = client.run(&["plan"]);
    assert!(!run.success, "{}", run.output);
    assert!(run.output.contains("No configuration"), "{}", run.output);
}

#[test]
fn a_failing_consumer_leaves_no_lease() {
    let Some(client) = Client::new(&SESSION.replace("sleep 7", "exit 1")) else {
        return;
    };
    let run = client.run(&["apply", "-auto-approve"]);
    assert!(!run.success, "{}", run.output);
    client.assert_nothing_open();
}

#[test]
fn an_interrupted_or_killed_terraform_leaves_no_lease() {
    for signal in [Signal::INT, Signal::KILL] {
        let Some(client) = Client::new(&SESSION.replace("sleep 7", "sleep 3")) else {
            return;
        };
        let mut apply = client.start(&["apply", "-auto-approve"]);
        client.wait_for_token();
        client::send(&apply, signal);
        apply.wait().expect("terraform");
        thread::sleep(Duration::from_millis(500));
        client.assert_nothing_open();
    }
}

#[test]
fn the_reference_has_every_type() {
    let Some(client) = Client::new(SESSION) else {
        return;
    };
    let docs = client.keyhost(&["terraform", "docs"]);
    for part in [
        "# keyhost_session",
        "# keyhost_derived_key",
        "# keyhost_key",
        "| `token` | string | Sensitive.",
        "| `lifetime` | number | Optional.",
        "  subject = \"…\"",
    ] {
        assert!(docs.contains(part), "{part}: {docs}");
    }
    assert!(
        client
            .storage()
            .keys("components/session")
            .expect("it reads")
            .is_empty()
    );
}
