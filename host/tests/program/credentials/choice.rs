//! Which helper is meant, and what it has.

use keyhost::storage::Storage;

use super::{RECORDS, Scene, base, done, helper, kept, object, refused, vault};

const ENV: &str = "credentials_helper \"env\" {\n  tokens = { \"example.com\" = \"other\" }\n}\n";

#[test]
fn the_list_has_every_host_once_and_in_order() {
    let scene = Scene::vault();
    done(&scene.run(&["list"]), "");
    for host in ["b.example", "a.example:8443", "bücher.example", "B.example"] {
        scene.keep(host);
    }
    let all = "a.example:8443\nb.example\nxn--bcher-kva.example\n";
    done(&scene.run(&["list"]), all);
    done(&scene.forget("b.example"), "");
    let rest = "a.example:8443\nxn--bcher-kva.example\n";
    done(&scene.run(&["list"]), rest);
}

/// A component gets a long list in pages, of 1,000 keys each.
#[test]
fn a_long_list_is_whole() {
    let scene = Scene::vault();
    let storage = scene.storage();
    let hosts: Vec<_> = (1000..2001).map(|n| format!("h{n}.example")).collect();
    for host in &hosts {
        storage.set(RECORDS, host, b"sealed").expect("set");
    }
    done(&scene.run(&["list"]), &(hosts.join("\n") + "\n"));
}

#[test]
fn of_several_helpers_one_must_be_named() {
    let scene = Scene::new(&(vault("static.s") + ENV));
    for arguments in [&["get", "example.com"][..], &["list"]] {
        refused(&scene.run(arguments), 2, &["--helper"]);
    }
    let answer = scene.store("example.com", &object("t"));
    refused(&answer, 2, &["--helper"]);
    let get = |helper| scene.run(&["get", "example.com", "--helper", helper]);
    done(&get("vault"), "{}\n");
    done(&get("env"), "{\"token\":\"other\"}\n");
    done(&scene.run(&["--helper=env", "list"]), "example.com\n");
}

#[test]
fn an_unknown_helper_is_a_mistake_of_the_configuration() {
    let scene = Scene::vault();
    scene.keep("example.com");
    for name in ["unknown", "", "env"] {
        let answer = scene.run(&["--helper", name, "get", "example.com"]);
        refused(&answer, 3, &["credentials_helper", "vault"]);
    }
    let named = scene.run(&["--helper", "vault", "get", "example.com"]);
    done(&named, &kept());
}

#[test]
fn without_a_helper_block_there_is_no_helper() {
    let scene = Scene::new(&base());
    refused(&scene.get("example.com"), 3, &["credentials_helper"]);
    refused(&scene.run(&["list"]), 3, &["credentials_helper"]);
    let named = scene.run(&["--helper", "vault", "get", "example.com"]);
    refused(&named, 3, &["credentials_helper"]);
}

#[test]
fn a_helper_is_configured_once_and_has_a_component() {
    let twice = helper("static.s", None).repeat(2);
    let scene = Scene::new(&(base() + &twice));
    refused(&scene.get("example.com"), 3, &["keyhost.hcl:", "twice"]);
    let other = "credentials_helper \"other\" {\n}\n";
    scene.configure(&(base() + other));
    refused(&scene.get("example.com"), 3, &["keyhost.hcl:", "other"]);
    // A component of another kind is no helper.
    let provider = "credentials_helper \"static\" {\n}\n";
    scene.configure(&(base() + provider));
    refused(&scene.get("example.com"), 4, &["keyhost.hcl:"]);
}
