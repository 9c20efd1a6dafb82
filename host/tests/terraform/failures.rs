//! A helper that cannot do its work.

use std::fs;

use crate::helper::Helper;
use crate::registry::module_at;
use crate::scene::{HOST, Scene, TOKEN};

fn reason(scene: &Scene) -> String {
    let missing = Helper::missing_configuration(scene.client.home());
    missing.display().to_string()
}

fn log(scene: &Scene) -> String {
    fs::read_to_string(Helper::log_file(scene.client.home())).expect("a log")
}

#[test]
fn init_fails_and_the_log_has_the_reason() {
    let Some(scene) = Scene::with_failing_helper(TOKEN) else {
        return;
    };
    scene.client.init(&module_at(HOST)).expect_failure();
    assert!(scene.registry.anonymous_since(0));

    // terraform shows nothing of what a failing `get` says.
    let log = log(&scene);
    assert!(log.contains(&reason(&scene)), "{log}");
}

/// An empty object would mean that there surely is no token.
#[test]
fn a_failing_get_is_no_answer() {
    let Some(scene) = Scene::with_failing_helper(TOKEN) else {
        return;
    };
    let get = scene.client.helper("get", HOST, "").expect_failure();
    assert_eq!(get.stdout, "");
    assert!(get.stderr.contains(&reason(&scene)), "{get:?}");
}

#[test]
fn login_and_logout_show_the_reason() {
    let Some(scene) = Scene::with_failing_helper(TOKEN) else {
        return;
    };
    for run in [scene.client.login(HOST, TOKEN), scene.client.logout(HOST)] {
        let run = run.expect_failure();
        assert!(run.stderr.contains(&reason(&scene)), "{run:?}");
    }
}

#[test]
fn a_failing_store_shows_no_token() {
    let Some(scene) = Scene::with_failing_helper(TOKEN) else {
        return;
    };
    let login = scene.client.login(HOST, TOKEN).expect_failure();
    for text in [&login.stdout, &login.stderr, &log(&scene)] {
        assert!(!text.contains(TOKEN), "{text}");
    }
}

#[test]
fn an_unknown_verb_fails() {
    let Some(scene) = Scene::start(TOKEN) else {
        return;
    };
    let run = scene.client.helper("list", HOST, "").expect_failure();
    assert_eq!(run.stdout, "");
    assert_ne!(run.stderr, "");
}
