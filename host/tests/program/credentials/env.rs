//! The `env` helper: read-only, its tokens from variables.

use std::process::Command;

use super::{Scene, TOKEN, base, done, drained, kept, object, refused, shows};
use crate::support::{Run, run};

const VARIABLES: &str = r#"
variable "token" {
  sensitive = true
  default   = ""
}
variable "other" {
  sensitive = true
  default   = ""
}
credentials_helper "env" {
  tokens = {
    "example.com"      = var.token
    "example.com:8443" = var.other
  }
}
"#;

fn scene() -> Scene {
    Scene::new(&(base() + VARIABLES))
}

/// With this value of the first variable.
fn command(scene: &Scene, token: &str, arguments: &[&str]) -> Command {
    let mut command = scene.command(arguments);
    command.env("KEYHOST_VAR_token", token);
    command
}

fn call(scene: &Scene, token: &str, arguments: &[&str]) -> Run {
    run(&mut command(scene, token, arguments), b"")
}

#[test]
fn a_token_comes_from_its_variable() {
    let scene = scene();
    done(&call(&scene, TOKEN, &["get", "example.com"]), &kept());
    done(&call(&scene, TOKEN, &["get", "EXAMPLE.com:443"]), &kept());
    let mut other = command(&scene, TOKEN, &["get", "example.com:8443"]);
    other.env("TF_VAR_other", "the other");
    done(&run(&mut other, b""), &(object("the other") + "\n"));
    done(&call(&scene, TOKEN, &["get", "example.org"]), "{}\n");
}

#[test]
fn a_token_is_written_as_json() {
    let scene = scene();
    for token in [r#"a"b\c/<&>"#, "Ünïcödé-日本-🔑", "%{if}${x}", "1e400"] {
        let answer = call(&scene, token, &["get", "example.com"]);
        let object: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert_eq!(object, serde_json::json!({ "token": token }));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_variable_that_is_not_set_is_no_token() {
    let scene = scene();
    done(&scene.get("example.com"), "{}\n");
    done(&call(&scene, "", &["get", "example.com"]), "{}\n");
}

#[test]
fn the_list_has_the_hosts_with_tokens() {
    let scene = scene();
    let mut both = command(&scene, TOKEN, &["list"]);
    both.env("KEYHOST_VAR_other", "t");
    done(&run(&mut both, b""), "example.com\nexample.com:8443\n");
}

/// By the contract the list is of hosts that have credentials.
#[test]
fn the_list_has_no_host_without_a_token() {
    done(&call(&scene(), TOKEN, &["list"]), "example.com\n");
}

#[test]
fn it_is_read_only_and_reads_its_input_to_the_end() {
    let scene = scene();
    let mut input = object(TOKEN).into_bytes();
    input.resize(1 << 20, b' ');
    let mut store = command(&scene, "t", &["store", "example.com"]);
    let answer = drained(&mut store, &input);
    refused(&answer, 1, &["not supported", "example.com"]);
    assert!(!shows(answer.stderr.as_bytes(), TOKEN), "{}", answer.stderr);
    for host in ["example.com", "example.org"] {
        let answer = call(&scene, "t", &["forget", host]);
        refused(&answer, 1, &["not supported", host]);
    }
    done(&call(&scene, TOKEN, &["get", "example.com"]), &kept());
}

#[test]
fn a_token_that_no_client_can_send_is_an_error_without_it() {
    let scene = scene();
    for token in [
        format!("{TOKEN}\n"),
        format!("{TOKEN}\r"),
        format!("\t{TOKEN}"),
        format!("{TOKEN}\u{7f}{TOKEN}"),
        format!("{TOKEN}\u{85}"),
    ] {
        let answer = call(&scene, &token, &["get", "example.com"]);
        refused(&answer, 1, &["example.com", "control characters"]);
        assert!(!shows(answer.stderr.as_bytes(), TOKEN), "{}", answer.stderr);
        let other = call(&scene, &token, &["get", "example.com:8443"]);
        done(&other, "{}\n");
    }
}

#[test]
fn it_needs_neither_a_storage_nor_a_home() {
    let config = base() + VARIABLES;
    let block = "storage \"file\" {\n  path = \"tokens.redb\"\n}\n";
    let scene = Scene::new(&config.replace(block, ""));
    let mut get = command(&scene, TOKEN, &["get", "example.com"]);
    done(&run(get.env_remove("HOME"), b""), &kept());
    let left = std::fs::read_dir(scene.path("home")).expect("home");
    assert_eq!(left.count(), 0);
}
