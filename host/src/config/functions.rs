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

/// Declares every function. The evaluator's own checks of arguments would tell
/// values in their errors, which may be secret: each function checks its own.
pub(super) fn declare(context: &mut Context<'_>) {
    let any = |function| {
        FuncDef::builder()
            .variadic_param(ParamType::Any)
            .build(function)
    };
    context.declare_func("base64decode", any(base64decode));
    context.declare_func("base64encode", any(base64encode));
    context.declare_func("chomp", any(chomp));
    context.declare_func("file", any(file));
    context.declare_func("filebase64", any(filebase64));
    context.declare_func("nonsensitive", any(identity));
    context.declare_func("sensitive", any(identity));
    context.declare_func("trimspace", any(trimspace));
}

fn only(arguments: FuncArgs) -> Result<Value, String> {
    let mut values = arguments.into_values().into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        _ => Err("it takes one argument".to_owned()),
    }
}

fn text(arguments: FuncArgs) -> Result<String, String> {
    match only(arguments)? {
        Value::String(text) => Ok(text),
        _ => Err("it takes a string".to_owned()),
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
    only(arguments)
}

fn file(arguments: FuncArgs) -> Result<Value, String> {
    let bytes = read(&text(arguments)?)?;
    String::from_utf8(bytes)
        .map(Value::from)
        .map_err(|_| "the file is not UTF-8; use filebase64".to_owned())
}

fn filebase64(arguments: FuncArgs) -> Result<Value, String> {
    Ok(STANDARD.encode(read(&text(arguments)?)?).into())
}

/// The path is not told: it may be a secret that was meant to be in the file.
fn read(path: &str) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("the file cannot be read: {error}");
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err("what is named is not a regular file".to_owned());
    }
    if metadata.len() > MAXIMUM_FILE_SIZE {
        return Err(format!("the file is larger than {MAXIMUM_FILE_SIZE} bytes"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAXIMUM_FILE_SIZE)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}
