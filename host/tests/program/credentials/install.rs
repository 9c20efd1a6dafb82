//! The link where clients look for helpers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use hcl::eval::Context;

use super::{Scene, TOKEN, done, kept, refused};
use crate::support::{Run, program, run};

const LINK: &str = "home/.terraform.d/plugins/terraform-credentials-keyhost";

fn built() -> PathBuf {
    fs::canonicalize(env!("CARGO_BIN_EXE_keyhost")).expect("program")
}

/// The arguments of the block that is printed for the client's configuration.
fn arguments(stdout: &str) -> Vec<String> {
    let block = stdout
        .find("credentials_helper \"")
        .map(|start| &stdout[start..])
        .expect("block");
    let body: serde_json::Value = hcl::eval::from_str(block, &Context::new()).expect("HCL");
    let arguments = &body["credentials_helper"]["keyhost"]["args"];
    let arguments = arguments.as_array().expect("args");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    arguments.iter().map(text).collect()
}

/// What a client does with the link and the block.
fn get(link: &Path, printed: &Run) -> Run {
    let program = program();
    let environment = program.get_envs();
    let mut command = Command::new(link);
    command
        .env_clear()
        .envs(environment.filter_map(|(name, value)| Some((name, value?))))
        .current_dir("/")
        .args(arguments(&printed.stdout))
        .args(["get", "example.com"]);
    run(&mut command, b"")
}

#[track_caller]
fn succeeded(run: &Run, word: &str) {
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
}

#[test]
fn the_link_and_the_printed_block_work() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let installed = scene.run(&["install"]);
    succeeded(&installed, "installed");
    let link = scene.path(LINK);
    assert_eq!(fs::read_link(&link).expect("link"), built());
    let config = fs::canonicalize(scene.config()).expect("configuration");
    let expected = format!("--config={}", config.display());
    assert_eq!(arguments(&installed.stdout), [expected]);
    done(&get(&link, &installed), &kept());
}

#[test]
fn a_path_of_odd_characters_is_quoted() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let directory = scene.path("a \"b\" \\ ${c} %{d} ü");
    fs::create_dir(&directory).expect("directory");
    let config = directory.join("keyhost.hcl");
    let text = super::vault("static.s").replace("tokens.redb", "../tokens.redb");
    fs::write(&config, text).expect("configuration");
    let config = config.to_str().expect("text");
    let installed = scene.run(&["install", "--config", config]);
    succeeded(&installed, "installed");
    done(&get(&scene.path(LINK), &installed), &kept());
}

/// The client calls the helper in whatever directory it runs in.
#[test]
fn a_configuration_that_is_not_there_yet_is_printed_absolute() {
    let scene = Scene::vault();
    fs::remove_file(scene.config()).expect("remove");
    let installed = scene.run(&["install"]);
    if installed.code != Some(0) {
        return refused(&installed, 3, &["keyhost.hcl"]);
    }
    let arguments = arguments(&installed.stdout);
    let path = arguments[0].strip_prefix("--config=").expect("--config");
    assert!(Path::new(path).is_absolute(), "{path}");
}

#[test]
fn again_it_is_there_already() {
    let scene = Scene::vault();
    succeeded(&scene.run(&["install"]), "installed:");
    let again = scene.run(&["install"]);
    succeeded(&again, "installed already:");
    assert_eq!(arguments(&again.stdout).len(), 1);
    assert_eq!(fs::read_link(scene.path(LINK)).expect("link"), built());
}

#[test]
fn a_link_to_another_keyhost_is_replaced() {
    let scene = Scene::vault();
    let link = scene.path(LINK);
    let plugins = link.parent().expect("parent");
    fs::create_dir_all(plugins).expect("plugins");
    symlink("/nowhere/keyhost", &link).expect("link");
    succeeded(&scene.run(&["install"]), "in place of another link");
    assert_eq!(fs::read_link(&link).expect("link"), built());
    let left = fs::read_dir(plugins).expect("plugins");
    assert_eq!(left.count(), 1, "nothing else is left");
}

#[test]
fn a_link_to_another_program_is_neither_replaced_nor_removed() {
    let scene = Scene::vault();
    let link = scene.path(LINK);
    fs::create_dir_all(link.parent().expect("parent")).expect("plugins");
    symlink("/bin/true", &link).expect("link");
    for arguments in [&["install"][..], &["install", "--uninstall"]] {
        let answer = scene.run(arguments);
        assert_eq!(answer.code, Some(1), "{}", answer.stderr);
        assert!(
            answer.stderr.contains("another program"),
            "{}",
            answer.stderr
        );
        assert_eq!(fs::read_link(&link).expect("link"), Path::new("/bin/true"));
    }
}

#[test]
fn what_is_no_link_is_neither_replaced_nor_removed() {
    let scene = Scene::vault();
    let link = scene.path(LINK);
    fs::create_dir_all(link.parent().expect("parent")).expect("plugins");
    fs::write(&link, "a file").expect("write");
    for arguments in [&["install"][..], &["install", "--uninstall"]] {
        let answer = scene.run(arguments);
        refused(&answer, 1, &["terraform-credentials-keyhost"]);
        assert_eq!(fs::read_to_string(&link).expect("read"), "a file");
    }
}

#[test]
fn uninstall_removes_the_link_alone() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let uninstall = || scene.run(&["install", "--uninstall"]);
    succeeded(&uninstall(), "not installed");
    succeeded(&scene.run(&["install"]), "installed");
    succeeded(&uninstall(), "removed");
    assert!(fs::symlink_metadata(scene.path(LINK)).is_err());
    assert!(built().exists());
    done(&scene.get("example.com"), &kept());
}

#[test]
fn another_directory_can_be_named() {
    let scene = Scene::vault();
    scene.keep("example.com");
    let mut command = scene.command(&["install", "--directory", "plug ins/deep"]);
    let installed = run(command.env_remove("HOME"), b"");
    succeeded(&installed, "installed");
    let link = scene.path("plug ins/deep/terraform-credentials-keyhost");
    done(&get(&link, &installed), &kept());
    assert!(!scene.path(LINK).exists());
    let arguments = ["install", "--uninstall", "--directory", "plug ins/deep"];
    succeeded(&scene.run(&arguments), "removed");
    assert!(fs::symlink_metadata(link).is_err());
}

#[test]
fn without_a_home_a_directory_is_asked_for() {
    let scene = Scene::vault();
    let mut command = scene.command(&["install"]);
    let answer = run(command.env_remove("HOME"), b"");
    refused(&answer, 1, &["HOME", "--directory"]);
    assert!(!answer.stderr.contains(TOKEN));
}
