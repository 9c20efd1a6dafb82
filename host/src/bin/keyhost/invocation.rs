//! How the program was called: by its own name, or by the one that clients of
//! the credentials helper protocol look for.

use std::ffi::OsString;
use std::path::Path;

use crate::error::UsageError;

/// The name of the program that clients look for; they tolerate a version after
/// it.
pub(crate) const HELPER_PROGRAM: &str = "terraform-credentials-keyhost";

/// The protocol's verbs.
const VERBS: [&str; 3] = ["get", "store", "forget"];

/// How the program was called.
pub(crate) enum Invocation {
    /// By its own name.
    Program(Vec<OsString>),
    /// As a credentials helper, by the name that clients look for.
    Helper(Result<Vec<OsString>, UsageError>),
}

impl Invocation {
    pub(crate) fn of(arguments: impl Iterator<Item = OsString>) -> Self {
        let arguments: Vec<_> = arguments.map(spelled).collect();
        let program = arguments.first().map(Path::new).and_then(Path::file_name);
        let name = program.and_then(|name| name.to_str()).unwrap_or_default();
        match name.strip_prefix(HELPER_PROGRAM) {
            Some(version) if version.is_empty() || version.starts_with("_v") => {
                Self::Helper(helper_arguments(arguments))
            }
            _ => Self::Program(arguments),
        }
    }
}

/// The configured arguments can be anything: the last two are the protocol's.
fn helper_arguments(mut arguments: Vec<OsString>) -> Result<Vec<OsString>, UsageError> {
    let wrong = UsageError("a credentials helper is called with get, store or forget, and a host");
    if arguments.len() < 3 {
        return Err(wrong);
    }
    let verb = arguments.len() - 2;
    if !VERBS.iter().any(|known| arguments[verb] == *known) {
        return Err(wrong);
    }
    // A host is never taken for an option.
    arguments.insert(verb + 1, "--".into());
    arguments.insert(1, "credentials".into());
    Ok(arguments)
}

/// OpenTofu's spelling `-var`, made ours.
fn spelled(argument: OsString) -> OsString {
    let spelled = argument.to_str().filter(|text| {
        let name = text.split('=').next();
        matches!(name, Some("-var" | "-var-file"))
    });
    match spelled {
        Some(text) => format!("-{text}").into(),
        None => argument,
    }
}
