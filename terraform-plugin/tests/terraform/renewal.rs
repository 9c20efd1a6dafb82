//! Runs that last longer than their leases.

use crate::client::Client;

fn client(fail: &str) -> Option<Client> {
    Client::new(&format!(
        r#"
ephemeral "fake_session" "s" {{
  name        = "one"
  renew_after = 1200
  fail        = "{fail}"
}}

resource "terraform_data" "consumer" {{
  provisioner "local-exec" {{
    command     = "sleep 3"
    environment = {{ TOKEN = ephemeral.fake_session.s.token }}
  }}
}}
"#
    ))
}

#[test]
fn a_slow_apply_renews_and_closes_the_newest() {
    let Some(client) = client("nothing") else {
        return;
    };
    client.apply().expect_success();
    let calls = client.calls();
    assert_eq!(calls.count("renew"), 2, "{calls:#?}");
    // Of the plan, then of the apply: its close knows the second renewal.
    let closes = calls.of("close");
    assert!(closes[0].ends_with(" 0"), "{closes:?}");
    assert!(closes[1].ends_with(" 2"), "{closes:?}");
    client.assert_nothing_left();
}

#[test]
fn a_failed_renewal_is_shown_at_the_end_and_not_tried_again() {
    let Some(client) = client("renew") else {
        return;
    };
    let run = client.apply().expect_success();
    assert!(run.said().contains("Warning: The fake fails"), "{run:?}");
    assert!(run.said().contains("In renew."), "{run:?}");
    let calls = client.calls();
    assert_eq!(calls.count("renew"), 1);
    assert_eq!(calls.of("log"), ["session: The fake fails: In renew."]);
    client.assert_nothing_left();
}
