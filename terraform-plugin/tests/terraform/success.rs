//! Runs in which all goes well.

use crate::client::Client;

/// Every kind of attribute, and a consumer that writes down what it gets.
const CONFIGURATION: &str = r#"
variable "hosts" {
  default = ["a", "b"]
}

ephemeral "fake_session" "s" {
  name   = "one"
  ratio  = 0.12345678901234567890123
  flag   = false
  hosts  = var.hosts
  labels = { k = "v" }
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command = "printf %s \"$TOKEN\" > token; printf %s \"$REST\" > rest"
    environment = {
      TOKEN = ephemeral.fake_session.s.token
      REST = jsonencode([
        ephemeral.fake_session.s.ratio,
        ephemeral.fake_session.s.flag,
        ephemeral.fake_session.s.hosts,
        ephemeral.fake_session.s.labels,
        ephemeral.fake_session.s.region,
      ])
    }
  }
}
"#;

const SECRET: &str = "s3cr3t-";

#[test]
fn validate_opens_nothing() {
    let Some(client) = Client::new(CONFIGURATION) else {
        return;
    };
    let run = client.run(&["validate"]).expect_success();
    assert!(run.said().contains("The configuration is valid"), "{run:?}");
    assert_eq!(client.calls().count("validate"), 1);
    assert_eq!(client.calls().count("open"), 0);
    client.assert_nothing_left();
}

#[test]
fn plan_opens_and_closes() {
    let Some(client) = Client::new(CONFIGURATION) else {
        return;
    };
    client.run(&["plan"]).expect_success();
    assert_eq!(client.calls().count("opened"), 1);
    client.assert_nothing_left();
}

#[test]
fn apply_brings_the_value_to_its_consumer() {
    let Some(client) = Client::new(CONFIGURATION) else {
        return;
    };
    let run = client.apply().expect_success();
    assert_eq!(client.calls().count("opened"), 2);
    client.assert_nothing_left();
    let opened = client.calls();
    let lease = opened.of("opened")[1];
    assert_eq!(client.read("token"), format!("{SECRET}{lease}"));
    let rest = r#"[0.12345678901234567890123,false,["a","b"],{"k":"v"},null]"#;
    assert_eq!(client.read("rest"), rest);
    assert!(!client.read("terraform.tfstate").contains(SECRET));
    assert!(!run.said().contains(SECRET));
}

#[test]
fn a_saved_plan_holds_no_secret_and_opens_again() {
    let Some(client) = Client::new(CONFIGURATION) else {
        return;
    };
    client.run(&["plan", "-out=saved"]).expect_success();
    let shown = client.run(&["show", "-json", "saved"]).expect_success();
    assert!(shown.stdout.contains("terraform_data"));
    assert!(!shown.stdout.contains(SECRET));
    client.run(&["apply", "saved"]).expect_success();
    assert_eq!(client.calls().count("opened"), 2);
    assert!(client.read("token").starts_with(SECRET));
    assert!(!client.read("terraform.tfstate").contains(SECRET));
    client.assert_nothing_left();
}

#[test]
fn destroy_leaves_nothing_open() {
    let Some(client) = Client::new(CONFIGURATION) else {
        return;
    };
    client.apply().expect_success();
    client.run(&["destroy", "-auto-approve"]).expect_success();
    client.assert_nothing_left();
}

#[test]
fn unknown_configuration_is_opened_only_at_apply() {
    let Some(client) = Client::new(
        r#"
resource "terraform_data" "name" {}

ephemeral "fake_session" "s" {
  name = terraform_data.name.id
}

resource "terraform_data" "consumer" {
  provisioner "local-exec" {
    command     = "printf %s \"$TOKEN\" > token"
    environment = { TOKEN = ephemeral.fake_session.s.token }
  }
}
"#,
    ) else {
        return;
    };
    client.run(&["plan"]).expect_success();
    assert_eq!(client.calls().count("open"), 0);
    client.apply().expect_success();
    assert_eq!(client.calls().count("opened"), 1);
    client.assert_nothing_left();
}

#[test]
fn a_warning_of_the_provider_is_shown() {
    let Some(client) = Client::new(
        r#"
ephemeral "fake_session" "s" {
  name = "one"
  fail = "warn"
}
"#,
    ) else {
        return;
    };
    let run = client.run(&["plan"]).expect_success();
    assert!(run.said().contains("Warning: The fake warns"), "{run:?}");
    client.assert_nothing_left();
}
