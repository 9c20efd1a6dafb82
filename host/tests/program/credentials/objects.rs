//! What is stored, and what is not.

use super::{Scene, TOKEN, done, refused, shows};

#[test]
fn an_object_comes_back_byte_for_byte() {
    let scene = Scene::vault();
    let long = "0123456789".repeat(2_000);
    for object in [
        r#"{"token":"abc"}"#,
        r#"{ "token" :	"abc" ,"unknown":null, "more" : [ ] }"#,
        r#"{"unknown":1,"token":"abc"}"#,
        // Neither a double nor a map of sorted keys has it so.
        r#"{"token":"abc","z":9007199254740993,"a":-0.0,"b":1E+2,"c":1.10}"#,
        r#"{"token":"abc","deep":{"a":{"b":[{"c":[[]]},{"token":""}]}}}"#,
        r#"{"token":"Ünïcödé-日本-🔑-\u00fc\/\"","名":"é"}"#,
        r#"{"token":"<&>"}"#,
        "{\n  \"token\": \"abc\",\n  \"lines\": 2\n}",
        r#"{"unknown":"no token"}"#,
        r#"{}"#,
        &format!("{{\"token\":\"{long}\"}}"),
    ] {
        done(&scene.store("example.com", object), "");
        done(&scene.get("example.com"), &format!("{object}\n"));
    }
}

#[test]
fn a_store_replaces_the_whole_object() {
    let scene = Scene::vault();
    let first = r#"{"token":"a-long-first-token","expires":"tomorrow"}"#;
    done(&scene.store("example.com", first), "");
    done(&scene.store("example.com", r#"{"token":"b"}"#), "");
    done(&scene.get("example.com"), "{\"token\":\"b\"}\n");
}

#[test]
fn a_refused_object_leaves_the_one_before() {
    let scene = Scene::vault();
    scene.keep("example.com");
    refused(&scene.store("example.com", "[]"), 1, &["JSON object"]);
    refused(&scene.store("example.com", ""), 1, &["JSON object"]);
    done(&scene.get("example.com"), &super::kept());
}

#[test]
fn what_is_no_object_is_refused() {
    let scene = Scene::vault();
    let quoted = format!("\"{TOKEN}\"");
    for text in [
        String::new(),
        "null".to_owned(),
        "1".to_owned(),
        TOKEN.to_owned(),
        quoted.clone(),
        format!("[{quoted}]"),
        format!("{{\"token\":{quoted}"),
        format!("{{\"token\":{quoted}}} trailing"),
        format!("{{\"token\":{quoted}}}{{}}"),
        format!("\u{feff}{{\"token\":{quoted}}}"),
        format!("{{\"token\":{quoted},\"token\":{quoted}}}"),
        format!("{{'token':{quoted}}}"),
        format!("{{\"token\":{quoted},}}"),
    ] {
        let answer = scene.store("example.com", &text);
        refused(&answer, 1, &["example.com", "not one JSON object"]);
        assert!(!shows(answer.stderr.as_bytes(), TOKEN), "{}", answer.stderr);
    }
    assert!(!scene.database().exists());
}

#[test]
fn a_token_that_no_client_can_send_is_refused() {
    let scene = Scene::vault();
    for (text, reason) in [
        (r#"{"token":""}"#.to_owned(), "empty"),
        // The name is the same one, spelled otherwise.
        (r#"{"\u0074oken":""}"#.to_owned(), "empty"),
        (r#"{"token":null}"#.to_owned(), "not a string"),
        (r#"{"token":12345678}"#.to_owned(), "not a string"),
        (format!("{{\"token\":[\"{TOKEN}\"]}}"), "not a string"),
        (format!("{{\"token\":\"{TOKEN}\\n\"}}"), "control"),
        (format!("{{\"token\":\"\\u0000{TOKEN}\"}}"), "control"),
        (format!("{{\"token\":\"{TOKEN}\\u007f\"}}"), "control"),
        (format!("{{\"token\":\"{TOKEN}\u{85}\"}}"), "control"),
    ] {
        let answer = scene.store("example.com", &text);
        refused(&answer, 1, &["example.com", reason]);
        assert!(!shows(answer.stderr.as_bytes(), TOKEN), "{}", answer.stderr);
    }
    done(&scene.get("example.com"), "{}\n");
}

#[test]
fn many_properties_take_no_long_time() {
    // Found slow: each name was compared with all before.
    let scene = Scene::vault();
    let properties: String = (0..80_000).map(|n| format!(",\"{n:06x}\":1")).collect();
    let object = format!("{{\"token\":\"abc\"{properties}}}");
    let mut command = scene.command(&["--time-limit", "5", "store", "example.com"]);
    let answer = crate::support::run(&mut command, object.as_bytes());
    assert!(!answer.stderr.contains("took longer"), "{}", answer.stderr);
}
