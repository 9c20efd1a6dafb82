//! Arguments of the commands on encrypted files.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use keyhost::config::target::TargetName;

use super::Format;

#[derive(Subcommand)]
pub(crate) enum State {
    /// Show what files say without any key: serial, lineage, metadata
    Inspect(StateInspect),
    /// Decrypt a file, or many in their places
    Decrypt(StateDecrypt),
    /// Encrypt a file, or many in their places
    Encrypt(StateEncrypt),
    /// Decrypt files with the first method or fallback that opens them, and
    /// encrypt them anew in their places, each with a new key
    Rotate(StateRotate),
    /// Tell which method opens files
    Verify(StateVerify),
}

/// What commands on encrypted files share.
#[derive(Args)]
pub(crate) struct StateFiles {
    /// The states or plans; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What the files are: state, plan, or remote:NAME for the remote state that
    /// the data source NAME reads [default: state or plan, as each file says]
    #[arg(long, value_name = "TARGET", value_parser = parse_target)]
    pub(crate) target: Option<TargetName>,
    /// How many files are worked on side by side [default: the number of
    /// processors]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
}

fn parse_target(text: &str) -> Result<TargetName, &'static str> {
    match (text, text.split_once(':')) {
        ("state", _) => Ok(TargetName::State),
        ("plan", _) => Ok(TargetName::Plan),
        (_, Some(("remote", name))) if !name.is_empty() => Ok(TargetName::Remote(name.to_owned())),
        _ => Err("it is state, plan or remote:NAME"),
    }
}

#[derive(Args)]
pub(crate) struct StateInspect {
    /// The states or plans; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to show them
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// Where to write what becomes of files.
#[derive(Args)]
pub(crate) struct Destination {
    /// Write to this file, of which only you can read a new one [default:
    /// standard output]
    #[arg(long, short, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the files; their modes and owners stay
    #[arg(long)]
    pub(crate) in_place: bool,
}

#[derive(Args)]
pub(crate) struct StateDecrypt {
    #[command(flatten)]
    pub(crate) files: StateFiles,
    #[command(flatten)]
    pub(crate) destination: Destination,
}

#[derive(Args)]
pub(crate) struct StateEncrypt {
    #[command(flatten)]
    pub(crate) files: StateFiles,
    #[command(flatten)]
    pub(crate) destination: Destination,
    /// Write nothing; print the files that are not encrypted, and fail if there
    /// are any. Needs neither configuration nor key
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct StateRotate {
    #[command(flatten)]
    pub(crate) files: StateFiles,
    /// Write nothing; print the files that the target's first method does not
    /// open, and fail if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct StateVerify {
    #[command(flatten)]
    pub(crate) files: StateFiles,
    /// How to tell it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}
