//! Runs that somebody ends.

use crate::client::Client;

/// The second resource opens slowly while the first is open.
const SLOW_PLAN: &str = r#"
ephemeral "fake_session" "first" {
  name = "first"
}

ephemeral "fake_session" "second" {
  name       = "second"
  open_takes = 2000
  depends_on = [ephemeral.fake_session.first]
}
"#;

const SLOW_APPLY: &str = r#"
ephemeral "fake_session" "first" {
  name = "first"
}

ephemeral "fake_session" "second" {
  name       = "second"
  depends_on = [ephemeral.fake_session.first]
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command     = "echo > started; exec sleep 15"
    environment = {
      FIRST  = ephemeral.fake_session.first.token
      SECOND = ephemeral.fake_session.second.token
    }
  }
}
"#;

#[test]
fn an_interrupted_plan_leaves_nothing_open() {
    let Some(client) = Client::new(SLOW_PLAN) else {
        return;
    };
    let running = client.start(&["plan"]);
    client.wait_for_call("open", 2);
    running.interrupt();
    running.finish().expect_failure();
    client.assert_nothing_left();
    assert_eq!(client.calls().closed_names(), ["second", "first"]);
}

#[test]
fn an_interrupted_apply_leaves_nothing_open() {
    let Some(client) = Client::new(SLOW_APPLY) else {
        return;
    };
    let running = client.start(&["apply", "-auto-approve"]);
    client.wait_for_file("started");
    running.interrupt();
    let run = running.finish().expect_failure();
    assert!(!run.said().contains("plugin"), "{run:?}");
    client.assert_nothing_left();
    // The plan's were closed by terraform, in an order of its own.
    assert_eq!(client.calls().closed_names()[2..], ["second", "first"]);
}

/// The call cannot be stopped, but the process ends without it.
#[test]
fn an_open_that_hangs_ends_with_the_run() {
    let Some(client) = Client::new(
        r#"
ephemeral "fake_session" "first" {
  name = "first"
}

ephemeral "fake_session" "second" {
  name       = "second"
  open_takes = 60000
  depends_on = [ephemeral.fake_session.first]
}
"#,
    ) else {
        return;
    };
    let running = client.start(&["plan"]);
    client.wait_for_call("open", 2);
    running.kill();
    running.finish();
    client.assert_nothing_left();
    assert_eq!(client.calls().closed_names(), ["first"]);
}

#[test]
fn a_killed_plan_leaves_nothing_open() {
    let Some(client) = Client::new(SLOW_PLAN) else {
        return;
    };
    let running = client.start(&["plan"]);
    client.wait_for_call("open", 2);
    running.kill();
    running.finish();
    client.assert_nothing_left();
    assert_eq!(client.calls().closed_names(), ["second", "first"]);
}

#[test]
fn a_killed_apply_leaves_nothing_open() {
    let Some(client) = Client::new(SLOW_APPLY) else {
        return;
    };
    let running = client.start(&["apply", "-auto-approve"]);
    client.wait_for_file("started");
    running.kill();
    running.finish();
    client.assert_nothing_left();
    assert_eq!(client.calls().count("close"), 4);
}

/// A closed terminal ends terraform without a word to its plugins.
#[test]
fn a_lost_terminal_leaves_nothing_open() {
    let Some(client) = Client::new(SLOW_APPLY) else {
        return;
    };
    let running = client.start(&["apply", "-auto-approve"]);
    client.wait_for_file("started");
    running.hang_up();
    running.finish();
    client.assert_nothing_left();
    assert_eq!(client.calls().count("close"), 4);
}
