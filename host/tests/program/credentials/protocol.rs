//! The three verbs, and the hosts that they take.

use std::fs::File;

use super::{Scene, TOKEN, done, kept, object, refused, shows};
use crate::support::{program, run};

#[test]
fn an_unknown_host_has_an_empty_object() {
    let scene = Scene::vault();
    done(&scene.get("example.com"), "{}\n");
    scene.keep("example.com");
    done(&scene.get("example.org"), "{}\n");
}

#[test]
fn store_and_forget_say_nothing_and_do_their_work() {
    let scene = Scene::vault();
    done(&scene.store("example.com", &object(TOKEN)), "");
    done(&scene.get("example.com"), &kept());
    done(&scene.forget("example.com"), "");
    done(&scene.get("example.com"), "{}\n");
}

#[test]
fn forgetting_nothing_succeeds() {
    let scene = Scene::vault();
    done(&scene.forget("example.com"), "");
    assert!(!scene.database().exists());
    scene.keep("example.org");
    done(&scene.forget("example.com"), "");
    done(&scene.get("example.org"), &kept());
}

#[test]
fn spellings_of_a_host_are_one_entry() {
    let scene = Scene::vault();
    scene.keep("Example.COM");
    for spelling in ["example.com", "EXAMPLE.com:443", "example.com:0443"] {
        done(&scene.get(spelling), &kept());
    }
    scene.keep("bücher.example:443");
    for spelling in ["BÜCHER.example", "xn--bcher-kva.example"] {
        done(&scene.get(spelling), &kept());
    }
    done(&scene.forget("Xn--Bcher-KVA.example"), "");
    done(&scene.get("bücher.example"), "{}\n");
}

#[test]
fn ports_are_entries_of_their_own() {
    let scene = Scene::vault();
    let hosts = ["example.com", "example.com:8443", "example.com:80"];
    for host in hosts {
        done(&scene.store(host, &object(host)), "");
    }
    for host in hosts {
        done(&scene.get(host), &(object(host) + "\n"));
    }
    done(&scene.forget("example.com:8443"), "");
    done(&scene.get("example.com:8443"), "{}\n");
    done(&scene.get("example.com"), &(object("example.com") + "\n"));
}

#[test]
fn what_is_no_host_is_refused_before_anything_runs() {
    // Without a configuration there is nothing that could run: its absence
    // would be told with another code.
    let scene = Scene::vault();
    std::fs::remove_file(scene.config()).expect("remove");
    for host in [
        "",
        " ",
        ".",
        "example.com/path",
        "/",
        "../../etc/passwd",
        "https://example.com",
        "user@example.com",
        "user:password@example.com",
        "example.com?query",
        "example.com#fragment",
        "example.com\n",
        "\u{1b}[31mexample.com",
        "exam\u{85}ple.com",
        "exam\u{202e}ple.com",
        "exam ple.com",
        "example.com:",
        "example.com:0",
        "example.com:99999",
        "example.com:-1",
        "*.example.com",
        "[::1]:8443",
    ] {
        for verb in ["get", "store", "forget"] {
            let answer = run(&mut scene.command(&[verb, host]), b"{\"token\":\"t\"}");
            refused(&answer, 2, &["error:"]);
            let line = answer.stderr.trim_end();
            assert!(!line.chars().any(char::is_control), "{verb} {line:?}");
            assert!(!line.contains('\u{202e}'), "{verb} {line:?}");
        }
    }
    refused(&scene.get("example.com"), 3, &["keyhost.hcl"]);
}

#[test]
fn a_host_is_one_argument() {
    let scene = Scene::vault();
    for arguments in [&["get"][..], &["get", "a.example", "b.example"]] {
        refused(&scene.run(arguments), 2, &["Usage"]);
    }
    refused(&scene.run(&["get", "--", "-example.com"]), 2, &["no host"]);
    refused(&scene.run(&["get", "--", "--help"]), 2, &["no host"]);
}

#[test]
fn an_unknown_verb_fails() {
    let scene = Scene::vault();
    refused(&scene.run(&["renew", "example.com"]), 2, &["renew"]);
    refused(&scene.run(&[]), 2, &["Usage"]);
}

#[test]
fn a_missing_configuration_is_no_empty_answer() {
    let scene = Scene::vault();
    let missing = ["--config", "missing.hcl"];
    for verb in ["get", "forget"] {
        let arguments = [&missing[..], &[verb, "example.com"]].concat();
        refused(&scene.run(&arguments), 3, &["missing.hcl"]);
    }
    let mut nowhere = program();
    nowhere.current_dir(scene.path("home"));
    let answer = run(nowhere.args(["credentials", "get", "example.com"]), b"");
    refused(&answer, 3, &["--config"]);
}

#[test]
fn an_answer_that_nobody_can_read_is_a_failure() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let full = File::options().write(true).open("/dev/full").expect("full");
    let mut command = scene.command(&["get", "example.com"]);
    let output = command.stdout(full).output().expect("the program ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stderr.is_empty());
    assert!(!shows(&output.stderr, TOKEN));
}
