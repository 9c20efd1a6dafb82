//! Runs in which something fails.

use crate::client::Client;

fn session(fail: &str) -> Option<Client> {
    Client::new(&format!(
        "ephemeral \"fake_session\" \"s\" {{\n  name = \"one\"\n  fail = \"{fail}\"\n}}\n"
    ))
}

#[track_caller]
fn plan_fails_saying(fail: &str, message: &str) {
    let Some(client) = session(fail) else {
        return;
    };
    let run = client.run(&["plan"]).expect_failure();
    assert!(run.said().contains(message), "{run:?}");
    client.assert_nothing_left();
}

#[test]
fn an_invalid_configuration_fails_the_plan() {
    plan_fails_saying("validate", "In validate.");
}

#[test]
fn a_failed_open_fails_the_plan() {
    plan_fails_saying("open", "In open.");
}

#[test]
fn a_panic_fails_the_plan_like_an_error() {
    plan_fails_saying("panic", "The provider failed unexpectedly");
}

#[test]
fn wrong_values_fail_the_plan_and_close() {
    plan_fails_saying("values", "The provider gave wrong values");
}

#[test]
fn a_failed_close_fails_the_plan() {
    plan_fails_saying("close", "In close.");
}

/// Terraform closes nothing then: the plugin does, and is given the time.
#[test]
fn a_failed_consumer_leaves_nothing_open() {
    let Some(client) = Client::new(
        r#"
ephemeral "fake_session" "first" {
  name        = "first"
  close_takes = 3000
}

ephemeral "fake_session" "second" {
  name       = "second"
  depends_on = [ephemeral.fake_session.first]
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command = "exit 1"
    environment = {
      FIRST  = ephemeral.fake_session.first.token
      SECOND = ephemeral.fake_session.second.token
    }
  }
}
"#,
    ) else {
        return;
    };
    client.apply().expect_failure();
    client.assert_nothing_left();
    let calls = client.calls();
    assert_eq!(calls.count("closed"), 4, "{calls:#?}");
    assert_eq!(calls.closed_names()[2..], ["second", "first"]);
}
