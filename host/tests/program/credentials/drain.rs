//! Input is read to its end, also by a helper that refuses it: a client that
//! gets EPIPE tells that in place of our message.

use super::{Scene, drained, refused, shows};

/// Far more than a pipe holds.
const LENGTH: usize = 5 << 20;

const START: &str = "{\"token\":\"zq9x-start-of-it-";

fn input() -> Vec<u8> {
    let mut input = START.as_bytes().to_vec();
    input.resize(LENGTH, b'x');
    input
}

#[track_caller]
fn assert_drained(scene: &Scene, arguments: &[&str], code: i32, words: &[&str]) {
    let answer = drained(&mut scene.command(arguments), &input());
    refused(&answer, code, words);
    assert!(!shows(answer.stderr.as_bytes(), START), "{}", answer.stderr);
}

#[test]
fn of_a_bad_host() {
    assert_drained(&Scene::vault(), &["store", "a/b"], 2, &["no host"]);
}

#[test]
fn of_a_long_object() {
    let store = ["store", "example.com"];
    assert_drained(&Scene::vault(), &store, 1, &["longer than"]);
}

#[test]
fn of_a_wrong_configuration() {
    let scene = Scene::vault();
    let missing = ["--config", "missing.hcl", "store", "example.com"];
    assert_drained(&scene, &missing, 1, &["longer than"]);
    // An object that could be stored, with as much white space after it.
    let mut input = b"{\"token\":\"t\"}".to_vec();
    input.resize(1 << 20, b' ');
    let answer = drained(&mut scene.command(&missing), &input);
    refused(&answer, 3, &["missing.hcl"]);
    let unknown = ["--helper", "unknown", "store", "example.com"];
    let answer = drained(&mut scene.command(&unknown), &input);
    refused(&answer, 3, &["unknown"]);
}
