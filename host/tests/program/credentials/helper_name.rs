//! The program under the name that clients look for: configured arguments,
//! then the verb and the host.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{Scene, TOKEN, done, drained, kept, object, refused};
use crate::support::{Run, program, run};

const NAME: &str = "terraform-credentials-keyhost";

/// The program by a link, in a directory that holds no configuration.
fn helper(scene: &Scene, name: &str, arguments: &[&str]) -> Command {
    let link = scene.path(name);
    if !link.exists() {
        symlink(env!("CARGO_BIN_EXE_keyhost"), &link).expect("link");
    }
    let mut command = Command::new(link);
    let program = program();
    let environment = program.get_envs();
    command
        .env_clear()
        .envs(environment.filter_map(|(name, value)| Some((name, value?))))
        .current_dir(scene.path("home"))
        .env("HOME", scene.path("home"))
        .args(arguments);
    command
}

fn call(scene: &Scene, arguments: &[&str]) -> Run {
    run(&mut helper(scene, NAME, arguments), b"")
}

/// The configured argument, and a place for the verb and the host.
fn config(scene: &Scene) -> String {
    format!("--config={}", scene.config().display())
}

#[test]
fn both_names_speak_the_protocol() {
    let scene = Scene::vault();
    let config = config(&scene);
    for name in [NAME, "terraform-credentials-keyhost_v1.2.3"] {
        let call = |verb: &str, input: &[u8]| {
            let mut command = helper(&scene, name, &[&config, verb, "example.com"]);
            run(&mut command, input)
        };
        done(&call("get", b""), "{}\n");
        done(&call("store", object(TOKEN).as_bytes()), "");
        done(&call("get", b""), &kept());
        done(&call("forget", b""), "");
        done(&call("forget", b""), "");
        done(&call("get", b""), "{}\n");
    }
}

#[test]
fn without_configured_arguments_the_environment_says() {
    let scene = Scene::vault();
    let mut command = helper(&scene, NAME, &["get", "example.com"]);
    let answer = run(command.env("KEYHOST_CONFIG", scene.config()), b"");
    done(&answer, "{}\n");
    refused(&call(&scene, &["get", "example.com"]), 3, &["--config"]);
}

#[test]
fn configured_arguments_can_hold_anything() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let directory = scene.path("path with spaces");
    fs::create_dir(&directory).expect("directory");
    for name in ["keyhost.hcl", "get", "store", "--", "-x.hcl", "größe=1.hcl"] {
        let path = directory.join(name);
        let relative = super::vault("static.s").replace("tokens.redb", "../tokens.redb");
        fs::write(&path, relative).expect("configuration");
        let argument = format!("--config={}", path.display());
        let answer = call(&scene, &[&argument, "get", "example.com"]);
        done(&answer, &kept());
        // Two arguments, the second of which is a word of the protocol.
        let mut command = helper(&scene, NAME, &["--config", name, "get", "example.com"]);
        if !name.starts_with('-') {
            done(&run(command.current_dir(&directory), b""), &kept());
        }
    }
}

#[test]
fn options_of_the_helper_can_be_configured() {
    let scene = Scene::vault();
    let env = "credentials_helper \"env\" {\n  tokens = { \"example.com\" = \"other\" }\n}\n";
    scene.configure(&(super::vault("static.s") + env));
    let config = config(&scene);
    let answer = call(&scene, &[&config, "--helper=vault", "get", "example.com"]);
    done(&answer, "{}\n");
    let answer = call(&scene, &["--helper", "env", &config, "get", "example.com"]);
    done(&answer, "{\"token\":\"other\"}\n");
    let limit = ["--time-limit=20", "--helper=vault", &config, "get", "a.b"];
    done(&call(&scene, &limit), "{}\n");
}

#[test]
fn wrong_configured_arguments_fail_clearly() {
    let scene = Scene::vault();
    let config = config(&scene);
    for wrong in ["", " ", "get", "list", "--unknown", "credentials", "--"] {
        let answer = call(&scene, &[&config, wrong, "get", "example.com"]);
        refused(&answer, 2, &["error"]);
        let input = format!("{{\"token\":\"{}\"}}", "x".repeat(1 << 20));
        let mut store = helper(&scene, NAME, &[&config, wrong, "store", "example.com"]);
        refused(&drained(&mut store, input.as_bytes()), 2, &["error"]);
    }
}

#[test]
fn anything_but_the_protocol_fails_and_reads_its_input() {
    let scene = Scene::vault();
    let config = config(&scene);
    let input = "x".repeat(5 << 20);
    for arguments in [
        &[][..],
        &["get"],
        &["--help"],
        &["--version"],
        &[&config],
        &[&config, "get"],
        &[&config, "list"],
        &[&config, "rotate", "example.com"],
        &[&config, "", "example.com"],
        &[&config, "GET", "example.com"],
        &[&config, "list", "example.com"],
        &[&config, "install", "example.com"],
        &[&config, "store", "a/b"],
    ] {
        let answer = drained(&mut helper(&scene, NAME, arguments), input.as_bytes());
        refused(&answer, 2, &["error"]);
    }
}

#[test]
fn a_host_is_never_an_option() {
    let scene = Scene::vault();
    let config = config(&scene);
    for host in ["-example.com", "--help", "--version", "-var=a=b", "--"] {
        for verb in ["get", "store", "forget"] {
            let answer = call(&scene, &[&config, verb, host]);
            refused(&answer, 2, &["is no host"]);
        }
    }
}

#[test]
fn a_name_that_only_begins_so_is_the_programs_own() {
    let scene = Scene::vault();
    let name = "terraform-credentials-keyhosts";
    let arguments = ["get", "example.com"];
    let answer = run(&mut helper(&scene, name, &arguments), b"");
    refused(&answer, 2, &["unrecognized subcommand"]);
    let version = run(&mut helper(&scene, name, &["--version"]), b"");
    assert_eq!(version.code, Some(0), "{}", version.stderr);
}
