//! The directory of an OpenTofu module as configuration, and `TF_ENCRYPTION`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Run, components, data, guest, program, run};

const PASSPHRASE: &str = "correct horse battery staple";

/// A module as people write them, around an encryption block: with much in it
/// that only OpenTofu understands.
const MAIN: &str = r#"
terraform {
  required_version = ">= 1.7.0"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
  backend "s3" {
    bucket = "states"
    key    = "prod/terraform.tfstate"
  }
}

provider "aws" {
  region = var.region
  default_tags { tags = merge(local.tags, { owner = "x" }) }
}

resource "aws_instance" "web" {
  for_each      = toset([for name in var.names : lower(name) if length(name) > 0])
  ami           = data.aws_ami.ubuntu[each.key].id
  instance_type = try(local.sizes[each.value], "t3.micro")
  user_data     = <<-EOT
    #!/bin/sh
    echo ${jsonencode({ name = each.key })} %{ if true }yes%{ endif }
  EOT
  dynamic "ebs_block_device" {
    for_each = var.disks
    content { device_name = ebs_block_device.value.name }
  }
  lifecycle {
    ignore_changes = [tags["x"], ami]
    precondition {
      condition     = can(regex("^x", var.region))
      error_message = "no"
    }
  }
}

data "aws_ami" "ubuntu" { most_recent = true }

module "network" {
  source = "./network"
  cidr   = cidrsubnet(var.cidr, 8, provider::aws::arn_parse(local.arn).account_id)
}

output "ids" { value = aws_instance.web[*].id }

moved {
  from = aws_instance.old
  to   = aws_instance.web
}

check "health" {
  data "http" "x" { url = "https://${local.host}" }
  assert {
    condition     = data.http.x.status_code == 200
    error_message = "down"
  }
}

locals {
  tags  = { Name = module.network.name }
  sizes = { for size in var.sizes : size.name => [for x in size.list : x]... }
  host  = aws_instance.web["a"].public_dns
}
"#;

const VARIABLES: &str = r#"
variable "names" {
  type    = set(string)
  default = ["a"]
  validation {
    condition     = alltrue([for name in var.names : length(name) < 9])
    error_message = "Too long."
  }
}
variable "disks" {
  type    = list(object({ name = string, size = optional(number, 8) }))
  default = []
}
variable "region" {}
variable "cidr" { type = string }
variable "sizes" { type = map(list(string)) }
variable "passphrase" {
  type      = string
  sensitive = true
}
"#;

const ENCRYPTION: &str = r#"
locals {
  passphrase = trimspace(var.passphrase)
}
terraform {
  encryption {
    key_provider "pbkdf2" "p" {
      passphrase = local.passphrase
    }
    method "aes_gcm" "m" {
      keys = key_provider.pbkdf2.p
    }
    state {
      method = method.aes_gcm.m
    }
  }
}
"#;

struct Module {
    directory: tempfile::TempDir,
    plaintext: String,
}

impl Module {
    /// The module, a state that it encrypted, and keyhost's file.
    fn new() -> Self {
        let vector = data("vectors/envelopes.json")
            .into_iter()
            .find(|vector| vector["name"] == "pbkdf2-24")
            .expect("vector");
        let text = |field: &str| vector[field].as_str().expect(field);
        let module = Self {
            directory: tempfile::tempdir().expect("directory"),
            plaintext: text("plaintext").to_owned(),
        };
        module.write("main.tf", MAIN);
        module.write("variables.tf", VARIABLES);
        module.write("encryption.tf", ENCRYPTION);
        module.write("keyhost.hcl", &components());
        module.write("../state", text("envelope"));
        module
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, name: &str, text: &str) {
        let directory = self.path().join("module");
        fs::create_dir_all(&directory).expect("directory");
        fs::write(directory.join(name), text).expect("write");
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path().join("module").join(name)).expect("remove");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command
            .current_dir(self.path())
            .args(["--config", "module"])
            .args(arguments);
        command
    }

    fn decrypt(&self, environment: &[(&str, &str)]) -> Run {
        let mut command = self.command(&["state", "decrypt", "state"]);
        run(command.envs(environment.iter().copied()), b"")
    }

    fn opens(&self, environment: &[(&str, &str)]) {
        let done = self.decrypt(environment);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(done.stdout == self.plaintext);
    }

    fn refuses(&self, environment: &[(&str, &str)], code: i32) -> String {
        let failed = self.decrypt(environment);
        assert_eq!(
            failed.code,
            Some(code),
            "{}{}",
            failed.stdout,
            failed.stderr
        );
        assert_eq!(failed.stdout, "");
        assert!(
            !failed.stderr.contains("correct horse"),
            "{}",
            failed.stderr
        );
        failed.stderr
    }
}

const VARIABLE: (&str, &str) = ("TF_VAR_passphrase", PASSPHRASE);

#[test]
fn a_real_module_decrypts_its_state() {
    let module = Module::new();
    module.opens(&[VARIABLE]);
    // As an editor on another system writes it.
    let marked = format!("\u{feff}{ENCRYPTION}").replace('\n', "\r\n");
    module.write("encryption.tf", &marked);
    module.opens(&[VARIABLE]);
    // It holds for the module's own JSON, too.
    module.remove("encryption.tf");
    module.write(
        "encryption.tf.json",
        r#"{
          "//": "comment",
          "resource": {"x": {"y": {"z": "${unknown(1)} ${"}}},
          "variable": {"more": {"validation": [{"condition": "${var.more > 1}"}]}},
          "locals": [{"passphrase": "${trimspace(var.passphrase)}"}],
          "terraform": [{"backend": {"s3": {}}, "encryption": {
            "key_provider": {"pbkdf2": {"p": {"passphrase": "${local.passphrase}"}}},
            "method": {"aes_gcm": {"m": {"keys": "${key_provider.pbkdf2.p}"}}},
            "state": {"method": "method.aes_gcm.m"}
          }}]
        }"#,
    );
    module.opens(&[VARIABLE]);
}

#[test]
fn values_of_variables_are_found_where_opentofu_finds_them() {
    let module = Module::new();
    let line = |passphrase: &str| format!("passphrase = \"{passphrase}\"\n");
    let wrong = "another horse battery staple";
    module.refuses(&[], 3);
    module.write("other.tfvars", &line(PASSPHRASE));
    module.refuses(&[], 3);
    // Each wins over those before.
    module.write("terraform.tfvars", &line(PASSPHRASE));
    module.opens(&[("TF_VAR_passphrase", wrong)]);
    module.write(
        "terraform.tfvars.json",
        &format!("{{\"passphrase\": \"{wrong}\"}}"),
    );
    module.refuses(&[VARIABLE], 1);
    module.write("a.auto.tfvars", &line(PASSPHRASE));
    module.opens(&[]);
    module.write(
        "b.auto.tfvars.json",
        &format!("{{\"passphrase\": \"{wrong}\"}}"),
    );
    module.refuses(&[], 1);
    let arguments = [
        "-var-file",
        "module/other.tfvars",
        "state",
        "decrypt",
        "state",
    ];
    let done = run(&mut module.command(&arguments), b"");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}

#[test]
fn files_of_the_language_count_as_in_opentofu() {
    let module = Module::new();
    let local = |passphrase: &str| format!("locals {{\n  passphrase = \"{passphrase}\"\n}}\n");
    let wrong = "another horse battery staple";
    // Override files are merged one after the other.
    module.write("a_override.tf", &local(wrong));
    module.refuses(&[VARIABLE], 1);
    module.write(
        "b_override.tf.json",
        &format!("{{\"locals\": {{\"passphrase\": \"{PASSPHRASE}\"}}}}"),
    );
    module.opens(&[("TF_VAR_passphrase", wrong)]);
    module.write("override.tofu", &local(wrong));
    module.refuses(&[VARIABLE], 1);
    module.write(
        "override.tofu",
        "terraform {\n  encryption {\n    key_provider \"pbkdf2\" \"p\" {\n      passphrase = var.passphrase\n    }\n  }\n}\n",
    );
    module.opens(&[VARIABLE]);
    for name in ["a_override.tf", "b_override.tf.json", "override.tofu"] {
        module.remove(name);
    }
    // What editors leave behind, directories and other files do not count.
    module.write(".hidden.tf", "{");
    module.write("main.tf~", "{");
    module.write("#main.tf#", "{");
    module.write("x.tftest.hcl", "{");
    fs::create_dir(module.path().join("module/modules.tf")).expect("directory");
    // A .tofu file counts in place of the .tf file of its name.
    module.write(
        "encryption.tofu",
        &ENCRYPTION.replace("pbkdf2.p", "pbkdf2.q"),
    );
    let message = module.refuses(&[VARIABLE], 3);
    assert!(
        message.contains("module/encryption.tofu:11:14: there is no key_provider.pbkdf2.q"),
        "{message}"
    );
    module.write("encryption.tofu", ENCRYPTION);
    module.opens(&[VARIABLE]);
    // Two blocks in two files are one too many.
    let (_, block) = ENCRYPTION.split_once("terraform").expect("block");
    module.write("z.tf", &format!("terraform{block}"));
    let message = module.refuses(&[VARIABLE], 3);
    assert!(
        message.contains("module/z.tf:2:3: only one encryption block"),
        "{message}"
    );
}

#[test]
fn mistakes_are_told_in_their_own_file() {
    let module = Module::new();
    for (name, text, part) in [
        ("x.tf", "locals {\n  a = \n}\n", "module/x.tf:2:"),
        ("x.tf.json", "{\n\"locals\": }", "module/x.tf.json:2:"),
        (
            "x.tf",
            "locals {\n  passphrase = \"x\"\n}\n",
            "module/x.tf:2:3: the local value \"passphrase\" is defined twice",
        ),
        (
            "x.tf",
            "variable \"cidr\" {}\n",
            "module/x.tf:1:1: the variable \"cidr\" is declared twice",
        ),
        (
            "x_override.tf",
            "locals {\n  passphrase = aws_instance.web.id\n}\n",
            "module/x_override.tf:2:16: an unknown name",
        ),
        (
            "x_override.tf",
            "locals {\n  passphrase = local.host\n  host = local.passphrase\n}\n",
            "local.passphrase → local.host → local.passphrase",
        ),
        (
            "x_override.tf",
            "locals {\n  pasphrase = \"x\"\n}\n",
            "module/x_override.tf:2:3: there is no local value \"pasphrase\" in another file",
        ),
        (
            "x_override.tf.json",
            "{\"variable\": {\"pasphrase\": {}}}",
            "there is no variable \"pasphrase\" in another file",
        ),
        (
            "terraform.tfvars",
            "passphrase = [\"correct horse\"]\n",
            "module/terraform.tfvars:1:1: the variable passphrase takes a string",
        ),
        (
            "keyhost.json",
            "{}",
            "module has both keyhost.hcl and keyhost.json",
        ),
    ] {
        module.write(name, text);
        let message = module.refuses(&[VARIABLE], 3);
        assert!(message.contains(part), "{name}: {message}");
        module.remove(name);
    }
    module.opens(&[VARIABLE]);
    // Nobody writes into these pipes: reading them would never end.
    for name in [
        "x.tf",
        "x_override.tofu.json",
        "terraform.tfvars",
        ".x.auto.tfvars",
    ] {
        let path = module.path().join("module").join(name);
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let message = module.refuses(&[VARIABLE], 3);
        let part = format!("module/{name} is not a regular file");
        assert!(message.contains(&part), "{message}");
        module.remove(name);
    }
    let empty = tempfile::tempdir().expect("directory");
    let failed = run(
        program()
            .arg("--config")
            .arg(empty.path())
            .args(["state", "decrypt", "-"]),
        b"",
    );
    assert_eq!(failed.code, Some(3));
    assert!(
        failed
            .stderr
            .contains("has neither keyhost.hcl nor keyhost.json nor a file of an OpenTofu module"),
        "{}",
        failed.stderr
    );
}

#[test]
fn keyhosts_own_file_is_one_with_the_module() {
    let module = Module::new();
    let own = format!(
        "{}encryption {{\n  key_provider \"static\" \"s\" {{\n    key = local.key\n  }}\n}}\nlocals {{\n  key = \"0011\"\n}}\n",
        components()
    );
    module.write("keyhost.hcl", &own);
    module.opens(&[VARIABLE]);
    let mut command = module.command(&["provide", "key_provider.static.s", "--reveal"]);
    let done = run(&mut command, b"");
    let answer: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(answer["encryption_key"]["hex"], "0011");
}

#[test]
fn pin_writes_into_keyhosts_own_file() {
    let module = Module::new();
    fs::copy(guest("static"), module.path().join("module/static.wasm")).expect("copy");
    let own = "component \"static\" {\n  path = \"static.wasm\"\n}\n";
    module.write("keyhost.hcl", own);
    let done = run(&mut module.command(&["pin"]), b"");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let path = module.path().join("module/keyhost.hcl");
    let pinned = fs::read_to_string(path).expect("read");
    assert!(pinned.contains("  sha256 = \""), "{pinned}");
    module.remove("keyhost.hcl");
    let failed = run(&mut module.command(&["pin"]), b"");
    assert_eq!(failed.code, Some(3));
    assert!(
        failed
            .stderr
            .contains("module has no keyhost.hcl or keyhost.json"),
        "{}",
        failed.stderr
    );
}

#[test]
fn tf_encryption_is_merged_over_the_files() {
    let module = Module::new();
    // The secret alone comes from there, as people do it.
    module.write(
        "encryption.tf",
        &ENCRYPTION.replace("passphrase = local.passphrase", ""),
    );
    let message = module.refuses(&[], 1);
    assert!(
        message.contains("either passphrase or chain is needed"),
        "{message}"
    );
    let provider = format!("key_provider \"pbkdf2\" \"p\" {{\n  passphrase = \"{PASSPHRASE}\"\n}}");
    module.opens(&[("TF_ENCRYPTION", &provider)]);
    module.opens(&[(
        "TF_ENCRYPTION",
        &format!("terraform {{\n encryption {{\n{provider}\n}}\n}}"),
    )]);
    let json = format!(
        "{{\"key_provider\": {{\"pbkdf2\": {{\"p\": {{\"passphrase\": \"{PASSPHRASE}\"}}}}}}}}"
    );
    module.opens(&[("TF_ENCRYPTION", &json)]);
    // It may use the files' variables and local values.
    let provider = "key_provider \"pbkdf2\" \"p\" {\n  passphrase = local.passphrase\n}";
    module.opens(&[("TF_ENCRYPTION", provider), VARIABLE]);
    // Without any other encryption block it is the whole.
    module.remove("encryption.tf");
    let whole = ENCRYPTION.replace("local.passphrase", &format!("\"{PASSPHRASE}\""));
    let (_, whole) = whole.split_once("terraform").expect("block");
    module.opens(&[("TF_ENCRYPTION", &format!("terraform{whole}"))]);
    for (text, part) in [
        (
            format!("key_provider \"pbkdf2\" \"p\" {{\n  passphrase = [\"{PASSPHRASE}\"]\n}}"),
            "TF_ENCRYPTION:2:16: ",
        ),
        (
            format!("key_provider \"pbkdf2\" \"p\" {{\n  iterations = \"{PASSPHRASE}\"\n}}"),
            "TF_ENCRYPTION:2:16: ",
        ),
        (
            format!("key_provider \"pbkdf2\" \"p\" {{\n  passphrase = \"{PASSPHRASE}\n}}"),
            "TF_ENCRYPTION:2:",
        ),
        (
            format!("key_provider \"pbkdf2\" \"p\" {{\n  pass = \"{PASSPHRASE}\"\n}}"),
            "TF_ENCRYPTION:2:3: ",
        ),
        (PASSPHRASE.to_owned(), "TF_ENCRYPTION:1:"),
        (format!("\"{PASSPHRASE}\""), "TF_ENCRYPTION:1:"),
        (format!("{{\"{PASSPHRASE}\"}}"), "TF_ENCRYPTION:1:"),
    ] {
        module.write(
            "encryption.tf",
            &ENCRYPTION.replace("passphrase = local.passphrase", ""),
        );
        let message = module.refuses(&[("TF_ENCRYPTION", &text)], 3);
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.contains(" | "), "{text}: {message}");
    }
}

#[test]
fn an_alias_in_tf_encryption_is_kept() {
    let module = Module::new();
    module.write(
        "encryption.tf",
        &ENCRYPTION
            .replace("\"p\"", "\"new\"")
            .replace("pbkdf2.p", "pbkdf2.new"),
    );
    let message = module.refuses(&[VARIABLE], 1);
    assert!(message.contains("key_provider.pbkdf2.p"), "{message}");
    let alias = "key_provider \"pbkdf2\" \"new\" {\n  encrypted_metadata_alias = \"key_provider.pbkdf2.p\"\n}";
    module.opens(&[VARIABLE, ("TF_ENCRYPTION", alias)]);
}

#[test]
fn a_broken_provider_does_not_stop_its_fallback() {
    let module = Module::new();
    let rotated = ENCRYPTION.replace(
        "    state {\n      method = method.aes_gcm.m\n",
        r#"    key_provider "pbkdf2" "short" {
      passphrase = "short"
    }
    key_provider "nowhere" "x" {
    }
    method "aes_gcm" "broken" {
      keys = key_provider.pbkdf2.short
    }
    method "aes_gcm" "missing" {
      keys = key_provider.nowhere.x
    }
    method "external" "fails" {
      encrypt_command = ["false"]
      decrypt_command = ["/nowhere/program"]
    }
    method "aes_gcm" "other" {
      keys = key_provider.pbkdf2.p
      aad  = [1, 2]
    }
    method "unencrypted" "plain" {}
    state {
      method = method.unencrypted.plain
      fallback {
        method = method.aes_gcm.broken
        fallback {
          method = method.aes_gcm.missing
          fallback {
            method = method.external.fails
            fallback {
              method = method.aes_gcm.other
              fallback {
                method = method.aes_gcm.m
              }
            }
          }
        }
      }
"#,
    );
    assert_ne!(rotated, ENCRYPTION);
    module.write("encryption.tf", &rotated);
    let done = module.decrypt(&[VARIABLE]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout == module.plaintext);
    assert!(
        done.stderr
            .contains("opened by the fallback method.aes_gcm.m"),
        "{}",
        done.stderr
    );
    // Where none opens it, each is told.
    let message = module.refuses(&[("TF_VAR_passphrase", "another horse battery staple")], 1);
    for method in [
        "unencrypted.plain",
        "aes_gcm.broken",
        "aes_gcm.missing",
        "external.fails",
        "aes_gcm.other",
        "aes_gcm.m",
    ] {
        assert!(
            message.contains(&format!("method.{method}: ")),
            "{method}: {message}"
        );
    }
}
