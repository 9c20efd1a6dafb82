//! What the helper stores comes back, and reaches the registry.

use std::collections::BTreeSet;

use serde_json::json;

use crate::registry::module_at;
use crate::scene::{HOST, Scene, TOKEN};

fn header_safe_tokens() -> [String; 5] {
    [
        r#"with "quotes""#.to_owned(),
        r"with \backslashes\n and \u0041\".to_owned(),
        "Schlüssel-密码-🔑".to_owned(),
        "<&>".to_owned(),
        "0123456789".repeat(2_000),
    ]
}

#[test]
fn unusual_tokens_reach_the_registry() {
    for token in header_safe_tokens() {
        let Some(scene) = Scene::start(&token) else {
            return;
        };
        let object = json!({"token": token});
        scene.client.store(HOST, &object);
        assert_eq!(scene.client.stored(HOST), object);
        scene.client.init(&module_at(HOST)).expect_success();
        assert_eq!(scene.registry.bearers(HOST), BTreeSet::from([token]));
    }
}

#[test]
fn unusual_tokens_survive_a_login() {
    for token in header_safe_tokens() {
        let Some(scene) = Scene::start(&token) else {
            return;
        };
        scene.client.login(HOST, &token).expect_success();
        assert_eq!(scene.client.stored(HOST), json!({"token": token}));
    }
}

/// No header can carry them, and an empty token would be sent as one.
#[test]
fn tokens_that_cannot_be_sent_are_refused() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    for token in ["two\nlines\r\n", "a\ttab", "\u{1}\u{7f}\u{0}", ""] {
        let object = json!({"token": token}).to_string();
        let run = scene.client.helper("store", HOST, &object);
        assert_eq!(run.code, Some(1), "{token:?}");
        assert!(run.stderr.contains("the token "), "{}", run.stderr);
        assert_eq!(scene.client.stored(HOST), json!({}));
    }
}

#[test]
fn unknown_properties_come_back_unchanged() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let object = json!({
        "expires": null,
        "token": TOKEN,
        "future": {
            "list": [true, false, null, 1.5, -1, "é", {"": []}],
            // A 64-bit float would lose its last digit.
            "serial": 9_007_199_254_740_993_u64,
        },
    });
    scene.client.store(HOST, &object);
    assert_eq!(scene.client.stored(HOST), object);
    scene.client.init(&module_at(HOST)).expect_success();
}

#[test]
fn a_stored_object_replaces_all_of_the_earlier_one() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let earlier = json!({"token": "an-old-token", "future": "kept with its token"});
    scene.client.store(HOST, &earlier);
    let object = json!({"token": TOKEN});
    scene.client.store(HOST, &object);
    assert_eq!(scene.client.stored(HOST), object);
}
