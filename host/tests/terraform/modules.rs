//! `terraform init` of a private module.

use std::collections::BTreeSet;

use serde_json::json;

use crate::registry::module_at;
use crate::scene::{HOST, HOST_WITH_PORT, Scene, TOKEN};

const OTHER_TOKEN: &str = "another-token";

fn only(token: &str) -> BTreeSet<String> {
    BTreeSet::from([token.to_owned()])
}

#[test]
fn init_sends_the_stored_token() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST, &json!({"token": TOKEN}));
    scene.client.init(&module_at(HOST)).expect_success();
    assert_eq!(scene.registry.bearers(HOST), only(TOKEN));
}

#[test]
fn init_sends_the_token_for_a_port() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST_WITH_PORT, &json!({"token": TOKEN}));
    let init = scene.client.init(&module_at(HOST_WITH_PORT));
    init.expect_success();
    assert_eq!(scene.registry.bearers(HOST_WITH_PORT), only(TOKEN));
}

#[test]
fn init_without_a_token_is_anonymous() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let init = scene.client.init(&module_at(HOST)).expect_failure();
    assert!(init.stderr.contains("401"), "{init:?}");
    assert!(scene.registry.anonymous_since(0));
}

#[test]
fn a_host_with_a_port_is_another_entry() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let (with_port, without) = (json!({"token": TOKEN}), json!({"token": OTHER_TOKEN}));
    scene.client.store(HOST_WITH_PORT, &with_port);
    scene.client.store(HOST, &without);
    assert_eq!(scene.client.stored(HOST_WITH_PORT), with_port);
    assert_eq!(scene.client.stored(HOST), without);

    let init = scene.client.init(&module_at(HOST_WITH_PORT));
    init.expect_success();
    scene.client.init(&module_at(HOST)).expect_failure();
    assert_eq!(scene.registry.bearers(HOST_WITH_PORT), only(TOKEN));
    assert_eq!(scene.registry.bearers(HOST), only(OTHER_TOKEN));

    scene.client.logout(HOST).expect_success();
    assert_eq!(scene.client.stored(HOST), json!({}));
    assert_eq!(scene.client.stored(HOST_WITH_PORT), with_port);
}

#[test]
fn terraform_asks_for_a_host_in_comparison_form() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST, &json!({"token": TOKEN}));
    let init = scene.client.init(&module_at("REG.example.test:443"));
    init.expect_success();
    assert_eq!(scene.registry.bearers(HOST), only(TOKEN));
}

#[test]
fn a_token_in_the_environment_wins() {
    let Some(mut scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST, &json!({"token": OTHER_TOKEN}));
    scene.client.set("TF_TOKEN_reg_example_test", TOKEN);
    scene.client.init(&module_at(HOST)).expect_success();
    assert_eq!(scene.registry.bearers(HOST), only(TOKEN));
}

#[test]
fn a_token_in_the_environment_wins_for_its_port_only() {
    let Some(mut scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST, &json!({"token": OTHER_TOKEN}));
    // A shell cannot set this name: `env` and container runtimes can.
    scene.client.set("TF_TOKEN_reg_example_test:8443", TOKEN);
    let init = scene.client.init(&module_at(HOST_WITH_PORT));
    init.expect_success();
    scene.client.init(&module_at(HOST)).expect_failure();
    assert_eq!(scene.registry.bearers(HOST_WITH_PORT), only(TOKEN));
    assert_eq!(scene.registry.bearers(HOST), only(OTHER_TOKEN));
}
