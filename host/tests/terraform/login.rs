//! `terraform login` and `terraform logout`.

use serde_json::json;

use crate::registry::module_at;
use crate::scene::{HOST, HOST_WITH_PORT, Scene, TOKEN};

#[test]
fn login_stores_the_pasted_token() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    for host in [HOST, HOST_WITH_PORT] {
        scene.client.login(host, TOKEN).expect_success();
        assert_eq!(scene.client.stored(host), json!({"token": TOKEN}));
        scene.client.init(&module_at(host)).expect_success();
    }
    // Where terraform keeps tokens in plain text without a helper.
    let plain = ".terraform.d/credentials.tfrc.json";
    assert!(!scene.client.home().join(plain).exists());
}

#[test]
fn login_replaces_the_token() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.store(HOST, &json!({"token": "an-old-token"}));
    scene.client.login(HOST, TOKEN).expect_success();
    assert_eq!(scene.client.stored(HOST), json!({"token": TOKEN}));
}

#[test]
fn login_never_stores_a_bad_token() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let login = scene.client.login(HOST, "a-wrong-token").expect_failure();
    assert!(login.stderr.contains("Token is invalid"), "{login:?}");
    assert!(scene.registry.bearers(HOST).contains("a-wrong-token"));
    assert_eq!(scene.client.stored(HOST), json!({}));
}

#[test]
fn logout_forgets_the_token() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.login(HOST, TOKEN).expect_success();
    scene.client.logout(HOST).expect_success();
    assert_eq!(scene.client.stored(HOST), json!({}));

    let before = scene.registry.requests().len();
    scene.client.init(&module_at(HOST)).expect_failure();
    assert!(scene.registry.anonymous_since(before));
}

#[test]
fn logout_without_a_token_succeeds() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    scene.client.logout(HOST).expect_success();
}
