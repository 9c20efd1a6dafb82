//! The functions that configurations may call: OpenTofu's that people use for
//! secrets, with OpenTofu's meaning.

use std::fs::File;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hcl::Value;
use hcl::eval::{Context, FuncArgs, FuncDef, ParamType};

/// Every function, for messages.
pub(super) const NAMES: [&str; 8] = [
    "base64decode",
    "base64encode",
    "chomp",
    "file",
    "filebase64",
    "nonsensitive",
    "sensitive",
    "trimspace",
];

/// The largest file that `file` and `filebase64` read, in bytes.
const MAXIMUM_FILE_SIZE: u64 = 1 << 20;

pub(super) fn declare(context: &mut Context<'_>) {
    let text = |function| FuncDef::new(function, [ParamType::String]);
    let any = |function| FuncDef::new(function, [ParamType::Any]);
    context.declare_func("base64decode", text(base64decode));
    context.declare_func("base64encode", text(base64encode));
    context.declare_func("chomp", text(chomp));
    context.declare_func("file", text(file));
    context.declare_func("filebase64", text(filebase64));
    context.declare_func("nonsensitive", any(identity));
    context.declare_func("sensitive", any(identity));
    context.declare_func("trimspace", text(trimspace));
}

/// The first argument as a text; the parameter types make sure of it.
fn text(arguments: FuncArgs) -> Result<String, String> {
    match arguments.into_values().into_iter().next() {
        Some(Value::String(text)) => Ok(text),
        _ => Err("it takes one text".to_owned()),
    }
}

fn base64decode(arguments: FuncArgs) -> Result<Value, String> {
    let bytes = STANDARD
        .decode(text(arguments)?)
        .map_err(|_| "the text is not standard base64 with padding")?;
    String::from_utf8(bytes)
        .map(Value::from)
        .map_err(|_| "the text decodes to bytes that are not UTF-8".to_owned())
}

fn base64encode(arguments: FuncArgs) -> Result<Value, String> {
    Ok(STANDARD.encode(text(arguments)?).into())
}

fn chomp(arguments: FuncArgs) -> Result<Value, String> {
    Ok(text(arguments)?.trim_end_matches(['\r', '\n']).into())
}

fn trimspace(arguments: FuncArgs) -> Result<Value, String> {
    Ok(text(arguments)?.trim().into())
}

fn identity(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments
        .into_values()
        .into_iter()
        .next()
        .unwrap_or(Value::Null))
}

fn file(arguments: FuncArgs) -> Result<Value, String> {
    let path = text(arguments)?;
    String::from_utf8(read(&path)?)
        .map(Value::from)
        .map_err(|_| format!("the file {path} is not UTF-8; use filebase64"))
}

fn filebase64(arguments: FuncArgs) -> Result<Value, String> {
    Ok(STANDARD.encode(read(&text(arguments)?)?).into())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("the file {path} cannot be read: {error}");
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(format!("{path} is not a regular file"));
    }
    if metadata.len() > MAXIMUM_FILE_SIZE {
        return Err(format!(
            "the file {path} is larger than {MAXIMUM_FILE_SIZE} bytes"
        ));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAXIMUM_FILE_SIZE)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}
