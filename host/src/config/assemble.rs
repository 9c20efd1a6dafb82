//! From a configuration's files to one body, all in the same form.

use std::path::Path;

use super::document::{Block, Body};
use super::layout::{FILE, Layout, MODULE_FILE};
use super::merge::{join, normalise, override_with};
use super::module::ModuleFiles;
use super::read::read;
use super::source::{ConfigError, Source};
use super::sources::Sources;
use super::syntax::Syntax;
use super::{encryption, environment};

/// Reads a file of keyhost's.
pub(super) fn file(sources: &mut Sources, path: &Path) -> Result<Body, ConfigError> {
    text(sources, read(path)?, Syntax::of(path))
}

/// Reads a text of keyhost's.
pub(super) fn text(
    sources: &mut Sources,
    source: Source,
    syntax: Syntax,
) -> Result<Body, ConfigError> {
    let mut body = syntax.parse(sources.add(source), &FILE)?;
    normalise(&mut body);
    Ok(body)
}

/// Reads a module, with keyhost's own file over it.
pub(super) fn module(sources: &mut Sources, files: &ModuleFiles) -> Result<Body, ConfigError> {
    let mut base = Body::default();
    for path in &files.primary {
        join(&mut base, parse(sources, path, &MODULE_FILE)?);
    }
    normalise(&mut base);
    check(sources, &base)?;
    for path in &files.overrides {
        let mut over = parse(sources, path, &MODULE_FILE)?;
        normalise(&mut over);
        check(sources, &over)?;
        check_bases(sources, &base, &over)?;
        override_with(&mut base, over);
    }
    if let Some(path) = &files.own {
        let over = file(sources, path)?;
        check(sources, &over)?;
        override_with(&mut base, over);
    }
    Ok(base)
}

/// Merges `TF_ENCRYPTION` over what the files say.
pub(super) fn environment(
    sources: &mut Sources,
    base: &mut Body,
    text: &str,
) -> Result<(), ConfigError> {
    let over = environment::parse(sources.add(environment::source(text)))?;
    check(sources, base)?;
    check(sources, &over)?;
    override_with(base, over);
    Ok(())
}

fn parse(sources: &mut Sources, path: &Path, layout: &Layout) -> Result<Body, ConfigError> {
    Syntax::of(path).parse(sources.add(read(path)?), layout)
}

/// What is merged has to be right in itself: two blocks of the same name would
/// become one.
fn check(sources: &Sources, body: &Body) -> Result<(), ConfigError> {
    encryption::encryption(sources, body).map(drop)
}

/// Refuses to override local values and variables that no primary file has, as
/// OpenTofu does.
fn check_bases(sources: &Sources, base: &Body, over: &Body) -> Result<(), ConfigError> {
    let has = |name: &str| {
        let mut locals = base.blocks("locals");
        locals.any(|block| block.body.attribute(name).is_some())
    };
    let locals = over.blocks("locals");
    let mut locals = locals.flat_map(|block| &block.body.attributes);
    if let Some(local) = locals.find(|local| !has(&local.name)) {
        let message = format!(
            "there is no local value \"{}\" in another file to override",
            local.name
        );
        return Err(sources.error(&local.span, message));
    }
    let has = |variable: &Block| {
        base.blocks("variable")
            .any(|base| base.labels == variable.labels)
    };
    match over.blocks("variable").find(|variable| !has(variable)) {
        None => Ok(()),
        Some(variable) => {
            let message = format!(
                "there is no variable \"{}\" in another file to override",
                variable.labels.concat()
            );
            Err(sources.error(&variable.span, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::Config;
    use crate::config::inputs::Inputs;
    use crate::config::method::Method;
    use crate::config::source::{ConfigError, Source};
    use crate::config::syntax::Syntax;
    use crate::config::target::{Target, TargetName};
    use crate::secret::Secret;

    const FILE: &str = r#"encryption {
  key_provider "static" "k" {
    key                      = "00"
    encrypted_metadata_alias = "file"
  }
  method "external" "a" {
    keys            = key_provider.static.k
    encrypt_command = ["file"]
    decrypt_command = ["file", "-d"]
  }
  method "unencrypted" "plain" {}
  state {
    method   = method.external.a
    enforced = true
    fallback {
      method = method.external.a
      fallback {
        method = method.external.a
      }
    }
  }
  remote_state_data_sources {
    remote_state_data_source "x" {
      method = method.external.a
    }
  }
}
"#;

    fn merged(environment: &str) -> Result<Config, ConfigError> {
        let source = Source::new("f.hcl".to_owned(), FILE.to_owned());
        let inputs = Inputs {
            encryption: Some(Secret::from(environment.to_owned())),
            ..Inputs::default()
        };
        Config::parse(source, Syntax::Hcl, Path::new(""), &inputs)
    }

    fn target(config: &Config, name: TargetName) -> Target {
        config.target(&name).expect("target")
    }

    fn encrypt_command(target: &Target) -> &str {
        match &target.methods[0].method {
            Method::External(external) => &external.encrypt_command[0],
            _ => panic!("another method"),
        }
    }

    #[test]
    fn the_environment_is_read_in_every_form() {
        let hcl = "method \"external\" \"a\" {\n encrypt_command = [\"environment\"]\n}";
        let json = r#"{"method": {"external": {"a": {"encrypt_command": ["environment"]}}}}"#;
        for text in [
            hcl.to_owned(),
            format!("\n {hcl}\n"),
            format!("encryption {{\n{hcl}\n}}"),
            format!("terraform {{\nencryption {{\n{hcl}\n}}\n}}"),
            json.to_owned(),
            format!(" \n{json}"),
            format!("{{\"encryption\": {json}}}"),
            format!("{{\"terraform\": {{\"encryption\": {json}}}}}"),
            format!("{{\"terraform\": [{{\"encryption\": [{json}]}}]}}"),
        ] {
            let config = merged(&text).expect(&text);
            let state = target(&config, TargetName::State);
            assert_eq!(encrypt_command(&state), "environment", "{text}");
            // What the environment does not say stays.
            let Method::External(external) = &state.methods[0].method else {
                panic!("{text}");
            };
            assert_eq!(external.decrypt_command, ["file", "-d"], "{text}");
        }
        for text in ["", " \n\t "] {
            let config = merged(text).expect("nothing");
            assert_eq!(encrypt_command(&target(&config, TargetName::State)), "file");
        }
    }

    #[test]
    fn what_is_merged_is_what_opentofu_merges() {
        let config = merged(
            r#"
            key_provider "static" "k" {
              encrypted_metadata_alias = "environment"
            }
            key_provider "static" "l" {
              key = "01"
            }
            method "external" "b" {
              encrypt_command = ["b"]
              decrypt_command = ["b"]
            }
            state {
              enforced = false
              fallback {
                method = method.external.b
              }
            }
            plan {
              method = method.unencrypted.plain
            }
            remote_state_data_sources {
              default {
                method = method.external.b
              }
              remote_state_data_source "x" {
                fallback {
                  method = method.external.b
                }
              }
            }
        "#,
        )
        .expect("configuration");
        let address = "key_provider.static.k".parse().expect("address");
        assert_eq!(config.metadata_key(&address).expect("key"), "environment");
        assert_eq!(config.key_providers().count(), 2);
        let state = target(&config, TargetName::State);
        let of = |target: &Target| {
            let methods = target.methods.iter();
            let addresses: Vec<_> = methods.map(|method| method.address.clone()).collect();
            addresses.join(" ")
        };
        // Fallbacks are replaced as a whole, and what is enforced stays so.
        assert_eq!(of(&state), "method.external.a method.external.b");
        assert!(state.enforced);
        let plan = target(&config, TargetName::Plan);
        assert_eq!(of(&plan), "method.unencrypted.plain");
        let remote = |name: &str| target(&config, TargetName::Remote(name.to_owned()));
        assert_eq!(of(&remote("x")), "method.external.a method.external.b");
        assert_eq!(of(&remote("y")), "method.external.b");
    }

    #[test]
    fn a_target_is_enforced_by_the_environment_too() {
        let config = merged("state {\n enforced = true\n method = method.unencrypted.plain\n}");
        let error = config.expect("configuration").target(&TargetName::State);
        let error = error.expect_err("enforced").to_string();
        assert!(error.starts_with("TF_ENCRYPTION:3:11: "), "{error}");
    }

    #[test]
    fn mistakes_in_the_environment_are_told_there_and_not_shown() {
        for (text, place) in [
            (
                "method \"external\" \"a\" {\n encrypt_command = \"hunter2\"\n}",
                "2:20",
            ),
            ("method \"external\" \"a\" {\n keys = \"hunter2\"\n}", "2:9"),
            (
                "method \"external\" \"a\" {\n keys = {hunter2 = 1}\n}",
                "2:9",
            ),
            (
                "method \"external\" \"a\" {\n keys = \"${hunter2}\"\n}",
                "2:9",
            ),
            ("method \"external\" \"a\" {\n keys = hunter2\n}", "2:9"),
            (
                "method \"external\" \"a\" {\n keys = [\"hunter2\"\n}",
                "3:1",
            ),
            ("\nhunter2", "2:1"),
            ("{\"method\": hunter2}", "1:12"),
            (
                "{\"method\": {\"external\": {\"a\": {\"keys\": \"${hunter2\"}}}}",
                "1:40",
            ),
            ("{\"method\": \"hunter2\"}", "1:12"),
            ("passphrase = \"hunter2\"", "1:1"),
            (
                "method \"external\" \"a\" {}\nmethod \"external\" \"a\" {}",
                "2:1",
            ),
            ("state {}\nstate {}", "2:1"),
            ("encryption {}\nterraform {\n encryption {}\n}", "3:2"),
            ("encryption {}\nstate {}", "2:1"),
            ("key_provider \"a b\" \"c\" {}", "1:1"),
            ("component \"a\" {}", "1:1"),
        ] {
            let error = match merged(text) {
                Err(error) => error,
                Ok(config) => config.target(&TargetName::State).expect_err(text),
            };
            let error = error.to_string();
            let start = format!("TF_ENCRYPTION:{place}: ");
            assert!(error.starts_with(&start), "{text}: {error}");
            assert!(
                !error.contains("hunter2") && !error.contains('\n'),
                "{text}: {error}"
            );
        }
    }
}
