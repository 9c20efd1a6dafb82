//! Arguments, options and their help.

mod authors;
mod state;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use keyhost::config::ephemeral::EphemeralAddress;
use keyhost::config::reference::Address;

pub(crate) use authors::{Componentize, New, WasiChoice};
pub(crate) use state::{
    Destination, State, StateDecrypt, StateEncrypt, StateFiles, StateInspect, StateRotate,
    StateVerify,
};

/// What the exit codes mean, at the end of every help.
const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  a component or its input failed
  2  wrong usage
  3  the configuration is wrong
  4  a component was refused (digest, imports, world)";

/// Runs OpenTofu-style key providers, compiled to WebAssembly components, in a
/// sandbox.
#[derive(Parser)]
#[command(name = "keyhost", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args)]
pub(crate) struct Global {
    /// The configuration: a file in HCL or, where its name ends in .json, in
    /// JSON, or the directory of an OpenTofu module with a keyhost.hcl in it
    /// [default: keyhost.hcl]
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = "KEYHOST_CONFIG",
        hide_env_values = true
    )]
    pub(crate) config: Option<PathBuf>,
    /// A variable's value. Others can see it while keyhost runs: for secrets,
    /// better use KEYHOST_VAR_NAME or -var-file
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub(crate) var: Vec<String>,
    /// A file of variables' values, in HCL or JSON
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) var_file: Vec<PathBuf>,
    /// The least level of components' messages that is shown
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: LogLevel,
    /// Where compiled components are kept [default: ~/.cache/keyhost]
    #[arg(
        long,
        global = true,
        value_name = "DIRECTORY",
        env = "KEYHOST_CACHE_DIR",
        hide_env_values = true
    )]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Whether messages are coloured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: clap::ColorChoice,
}

/// How much of components' messages is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
    Off,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Give the keys and the metadata of a key provider, as JSON
    Provide(Provide),
    /// Speak OpenTofu's external key provider protocol on standard input and
    /// output
    External(External),
    /// Show what a component is, wants and declares
    Inspect(Inspect),
    /// Write the digests of components into the configuration
    Pin(Pin),
    /// Compile components into the cache, before they are first needed
    #[cfg(feature = "compiler")]
    Precompile(Precompile),
    /// Work with encrypted states and plans
    #[command(subcommand)]
    State(State),
    /// Keep tokens for hosts, by Terraform's and OpenTofu's credentials helper
    /// protocol
    Credentials(Credentials),
    /// Run a command with ephemeral values in its environment, renewed while it
    /// runs and closed after
    Exec(Exec),
    /// Use ephemeral resources in Terraform
    #[command(subcommand)]
    Terraform(Terraform),
    /// Judge components: OpenTofu's compliance suite, and leaks, limits,
    /// isolation and hostile metadata
    Compliance(Compliance),
    /// Begin a project of a component, in the language of your choice
    New(New),
    /// Turn a core WebAssembly module into a component
    Componentize(Componentize),
    /// Print a shell's completions
    Completions(Completions),
    /// Print the manual page
    Man,
}

#[derive(Args)]
pub(crate) struct Provide {
    /// The key provider: key_provider.TYPE.NAME
    pub(crate) address: Address,
    /// Stored metadata to decrypt with: a JSON object of metadata by key, as in
    /// this command's output; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    pub(crate) metadata: Option<PathBuf>,
    /// An encrypted state whose metadata to decrypt with
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Show the keys, in hexadecimal
    #[arg(long)]
    pub(crate) reveal: bool,
}

#[derive(Args)]
pub(crate) struct External {
    /// The key provider: key_provider.TYPE.NAME
    pub(crate) address: Address,
}

#[derive(Args)]
pub(crate) struct Inspect {
    /// The component
    #[arg(value_name = "WASM")]
    pub(crate) path: PathBuf,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// A form of output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(Args)]
pub(crate) struct Pin {
    /// The components to pin [default: all]
    #[arg(value_name = "TYPE")]
    pub(crate) components: Vec<String>,
}

#[cfg(feature = "compiler")]
#[derive(Args)]
pub(crate) struct Precompile {
    /// The components to compile [default: all]
    #[arg(value_name = "TYPE")]
    pub(crate) components: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Credentials {
    /// The credentials helper, where several are configured
    #[arg(long, global = true, value_name = "TYPE")]
    pub(crate) helper: Option<String>,
    /// The most time that a call takes, in seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) time_limit: u64,
    #[command(subcommand)]
    pub(crate) command: CredentialsCommand,
}

#[derive(Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Print the credentials object of a host, or {}
    Get {
        /// The host, such as example.com or example.com:8443
        host: String,
    },
    /// Keep the credentials object on standard input for a host
    Store {
        /// The host, such as example.com or example.com:8443
        host: String,
    },
    /// Delete the credentials of a host
    Forget {
        /// The host, such as example.com or example.com:8443
        host: String,
    },
    /// Print the hosts that have credentials
    List,
    /// Put a link to keyhost where Terraform and OpenTofu look for helpers
    Install(Install),
}

#[derive(Args)]
pub(crate) struct Install {
    /// The plugin directory [default: ~/.terraform.d/plugins]
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) directory: Option<PathBuf>,
    /// Remove the link
    #[arg(long)]
    pub(crate) uninstall: bool,
}

#[derive(Args)]
pub(crate) struct Exec {
    /// The ephemeral resources, opened in this order: ephemeral_resource.TYPE.NAME
    #[arg(required = true, value_name = "ADDRESS")]
    pub(crate) addresses: Vec<EphemeralAddress>,
    /// A variable and the value that it gets: an attribute, or ADDRESS.attribute
    /// [default: NAME_ATTRIBUTE for each]
    #[arg(long, value_name = "NAME=ATTRIBUTE", value_parser = parse_variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Pass all values in a file in memory, as JSON, in place of variables;
    /// KEYHOST_VALUES is its path
    #[arg(long, conflicts_with = "env")]
    pub(crate) file_descriptor: bool,
    /// Hold the leases for another keyhost
    #[arg(long, hide = true)]
    pub(crate) keep: bool,
    /// The command and its arguments
    #[arg(last = true, required_unless_present = "keep", value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

fn parse_variable(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, attribute)) if !name.is_empty() && !attribute.is_empty() => {
            Ok((name.to_owned(), attribute.to_owned()))
        }
        _ => Err("it has the form NAME=ATTRIBUTE"),
    }
}

#[derive(Subcommand)]
pub(crate) enum Terraform {
    /// Print how terraform finds the plugin
    DevOverrides,
    /// Print the reference of every type, in Markdown
    Docs,
}

#[derive(Args)]
pub(crate) struct Compliance {
    /// The components
    #[arg(value_name = "WASM", required_unless_present = "schema")]
    pub(crate) components: Vec<PathBuf>,
    /// The case file [default: NAME.compliance.toml beside NAME.wasm]
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Option<PathBuf>,
    /// Run these suites and checks alone, such as provide or provide/round-trip
    #[arg(long, value_name = "NAME")]
    pub(crate) suite: Vec<String>,
    /// How to tell what was found
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    /// Where to write the report [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Judge the K-th of N parts of the components, such as 2/5
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// How many components are judged side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,
    /// The seed of hostile metadata
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The most memory that a component is to need, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20)]
    pub(crate) memory: u64,
    /// Grant `reveal`, for components that want it
    #[arg(long)]
    pub(crate) reveal: bool,
    /// Fail on warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print the JSON Schema of case files, and judge nothing
    #[arg(long)]
    pub(crate) schema: bool,
}

/// A form of report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Junit,
}

fn parse_shard(text: &str) -> Result<(usize, usize), &'static str> {
    let wanted = "it has the form K/N, with K from 1 to N";
    let (part, parts) = text.split_once('/').ok_or(wanted)?;
    match (part.parse(), parts.parse()) {
        (Ok(part), Ok(parts)) if 1 <= part && part <= parts => Ok((part, parts)),
        _ => Err(wanted),
    }
}

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}
