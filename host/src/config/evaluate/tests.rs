use std::path::Path;

use crate::config::Config;
use crate::config::inputs::Inputs;
use crate::config::method::Method;
use crate::config::source::Source;
use crate::config::syntax::Syntax;
use crate::config::target::TargetName;

/// The value of an expression that ends up as a text.
fn evaluated(expression: &str, rest: &str) -> Result<String, String> {
    let text = format!(
        "encryption {{\n method \"external\" \"m\" {{\n encrypt_command = [{expression}]\n decrypt_command = [\"x\"]\n }}\n state {{\n method = method.external.m\n }}\n}}\n{rest}"
    );
    let source = Source::new("f".to_owned(), text);
    let config = Config::parse(source, Syntax::Hcl, Path::new(""), &Inputs::default());
    let target = config.and_then(|config| config.target(&TargetName::State));
    match target
        .map_err(|error| error.to_string())?
        .methods
        .remove(0)
        .method
    {
        Method::External(mut external) => Ok(external.encrypt_command.remove(0)),
        _ => Err("another method".to_owned()),
    }
}

#[test]
fn local_values_are_evaluated_in_the_order_of_their_references() {
    let rest = r#"
        locals {
          a = "${local.b}-${var.v}"
          c = ["c", { d = "e" }]
        }
        locals {
          b = trimspace(" ${local["c"][0]}${local.c[1].d} ")
        }
        variable "v" {
          default = "v"
        }
    "#;
    assert_eq!(evaluated("local.a", rest).as_deref(), Ok("ce-v"));
    assert_eq!(
        evaluated("\"%{ for x in [local.b, local.a] }${x}.%{ endfor }\"", rest).as_deref(),
        Ok("ce.ce-v.")
    );
    assert_eq!(evaluated("path.module", "").as_deref(), Ok("."));
}

#[test]
fn names_of_loops_are_names() {
    let rest = "locals {\n l = [{ n = \"a\" }, { n = \"b\" }]\n}";
    assert_eq!(
        evaluated("[for local, x in local.l : x.n][1]", rest).as_deref(),
        Ok("b")
    );
    let error = evaluated("[for x in local.l : y.n][1]", rest).expect_err("unknown");
    assert!(error.contains("an unknown name"), "{error}");
}

#[test]
fn what_nothing_refers_to_is_not_evaluated() {
    let rest = r#"
        locals {
          a = "a"
          b = aws_instance.x[0].id
          c = [for k in keys(data.x.y) : [for l in k : l]]
          d = provider::aws::arn(module.m.n)
          e = local.f
          f = local.e
          g = local.nothing
        }
    "#;
    assert_eq!(evaluated("local.a", rest).as_deref(), Ok("a"));
    for (expression, part) in [
        ("local.b", "f:13:15: an unknown name"),
        ("local.c", "f:14:15: "),
        ("local.d", "f:15:15: "),
        (
            "local.e",
            "f:17:15: local values refer to each other in a cycle: local.e → local.f → local.e",
        ),
        ("local.g", "f:18:15: there is no local value \"nothing\""),
        (
            "local.nothing",
            "f:3:20: there is no local value \"nothing\"",
        ),
        ("local[var.x]", "a local value is named as it is defined"),
        ("local", "a local value is named as it is defined"),
        ("data.a.b", "data cannot be used here"),
        ("module.a.b", "module cannot be used here"),
    ] {
        let error = evaluated(expression, rest).expect_err(expression);
        assert!(error.contains(part), "{expression}: {error}");
    }
}

#[test]
fn a_local_value_is_defined_once() {
    let rest = "locals {\n a = 1\n}\nlocals {\n a = 2\n}";
    let error = evaluated("local.a", rest).expect_err("twice");
    assert!(
        error.contains("the local value \"a\" is defined twice"),
        "{error}"
    );
}

#[test]
fn local_values_that_double_each_other_are_stopped() {
    for step in [
        "\"${local.aN}${local.aN}\"",
        "[for x in local.aN : local.aN]",
    ] {
        let mut rest = "locals {\n a0 = [\"0123456789\", \"0123456789\"]\n".to_owned();
        if step.starts_with('"') {
            rest = rest.replace("[\"0123456789\", \"0123456789\"]", "\"0123456789\"");
        }
        for number in 0..60 {
            let step = step.replace('N', &number.to_string());
            rest.push_str(&format!(" a{} = {step}\n", number + 1));
        }
        rest.push('}');
        let error = evaluated("local.a60", &rest).expect_err(step);
        assert!(
            error.contains("produce more than 16777216 bytes"),
            "{error}"
        );
    }
}

#[test]
fn values_that_are_repeated_too_often_are_stopped() {
    let list = format!("[{}]", "0, ".repeat(20_000));
    let rest = format!("variable \"l\" {{\n default = {list}\n}}\nlocals {{\n l = {list}\n}}");
    let long = "x".repeat(2_000);
    for expression in [
        "[for x in var.l : var.l][0][0]".to_owned(),
        "[for x in local.l : local.l][0][0]".to_owned(),
        "[for x in [var.l] : [x, x, x, x, x, x, x, x, x, x, x, x]][0][0][0]".to_owned(),
        format!("[for x in var.l : \"{long}\"][0]"),
        format!("\"%{{ for x in var.l }}{long}%{{ endfor }}\""),
        "\"%{ for x in var.l }${var.l[x]}%{ endfor }\"".to_owned(),
        format!("local.l{}", "[*]".repeat(40)),
        format!("{}\"{long}\"{}", "base64encode(".repeat(50), ")".repeat(50)),
        format!("[{}][0][0]", "var.l, ".repeat(20)),
    ] {
        let begun = std::time::Instant::now();
        let error = evaluated(&expression, &rest).expect_err("too much");
        let part = "f:3:20: expressions produce more than 16777216 bytes";
        assert!(error.contains(part), "{expression}: {error}");
        assert!(begun.elapsed().as_secs() < 10, "{expression}");
    }
    let fine = "\"%{ for i, x in var.l }%{ if i < 3 }${x + 1}%{ endif }%{ endfor }\"";
    assert_eq!(evaluated(fine, &rest).as_deref(), Ok("111"));
}

#[test]
fn local_values_that_all_refer_to_each_other_are_quick() {
    let mut rest = "locals {\n a0 = \"a\"\n".to_owned();
    for number in 1..400 {
        let earlier: Vec<_> = (0..number)
            .map(|number| format!("local.a{number} == \"a\""))
            .collect();
        rest.push_str(&format!(
            " a{number} = [{}][0] ? \"a\" : \"b\"\n",
            earlier.join(", ")
        ));
    }
    rest.push('}');
    let begun = std::time::Instant::now();
    assert_eq!(evaluated("local.a399", &rest).as_deref(), Ok("a"));
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn what_is_evaluated_again_is_not_counted_again() {
    let list = format!("[{}]", "0, ".repeat(20_000));
    let text = format!(
        "encryption {{\n method \"external\" \"m\" {{\n encrypt_command = [\"${{local.l[0]}}${{local.l[1]}}\"]\n decrypt_command = [\"x\"]\n }}\n state {{\n method = method.external.m\n }}\n}}\nlocals {{\n l = {list}\n}}"
    );
    let source = Source::new("f".to_owned(), text);
    let config = Config::parse(source, Syntax::Hcl, Path::new(""), &Inputs::default())
        .expect("configuration");
    for _ in 0..20 {
        assert!(config.target(&TargetName::State).is_ok());
    }
}

#[test]
fn a_long_chain_of_local_values_is_no_trouble() {
    let mut rest = "locals {\n a0 = \"end\"\n".to_owned();
    for number in 0..1_000 {
        rest.push_str(&format!(" a{} = local.a{number}\n", number + 1));
    }
    rest.push('}');
    assert_eq!(evaluated("local.a1000", &rest).as_deref(), Ok("end"));
}
