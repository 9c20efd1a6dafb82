//! The credentials helper protocol, and what people need around it.

mod install;

use std::io::{self, IsTerminal, Read};
use std::time::Duration;

use anyhow::Context;
use keyhost::config::Config;
use keyhost::credentials::Credentials;
use keyhost::credentials::host::HostName;
use keyhost::credentials::object::{CredentialsObject, MAXIMUM_SIZE};
use zeroize::Zeroizing;

use crate::cli::{self, CredentialsCommand, Global};
use crate::error::UsageError;
use crate::files;
use crate::stderr;
use crate::time_limit;

/// What the protocol answers where there surely are no credentials.
const NONE: &[u8] = b"{}\n";

/// Runs one of the protocol's verbs, or one of ours.
pub(crate) fn run(global: &Global, command: &cli::Credentials) -> anyhow::Result<()> {
    match &command.command {
        CredentialsCommand::Install(install) => {
            install::run(global, command.helper.as_deref(), install)
        }
        CredentialsCommand::Get { host } => {
            let _limit = limit(command, "get", host);
            let host = host.parse()?;
            with_helper(global, command, |helper| get(helper, &host))
        }
        CredentialsCommand::Store { host } => {
            // A person may take the time to type.
            let typed = io::stdin().is_terminal();
            let at_once = (!typed).then(|| limit(command, "store", host));
            // The client writes to the end whatever becomes of it.
            let object = read_object()?;
            let _limit = at_once.unwrap_or_else(|| limit(command, "store", host));
            let host: HostName = host.parse()?;
            let object = CredentialsObject::parse(&object)
                .with_context(|| format!("the credentials of {host} are not stored"))?;
            with_helper(global, command, |helper| Ok(helper.store(&host, &object)?))
        }
        CredentialsCommand::Forget { host } => {
            let _limit = limit(command, "forget", host);
            let host = host.parse()?;
            with_helper(global, command, |helper| Ok(helper.forget(&host)?))
        }
        CredentialsCommand::List => {
            let _limit = limit(command, "list", "all hosts");
            with_helper(global, command, list)
        }
    }
}

fn limit(command: &cli::Credentials, verb: &str, host: &str) -> time_limit::Running {
    let action = format!("{verb} for {}", keyhost::guest_text::fit(host));
    time_limit::start(Duration::from_secs(command.time_limit), action)
}

fn get(helper: &Credentials<'_>, host: &HostName) -> anyhow::Result<()> {
    let Some(object) = helper.get(host)? else {
        return files::print(NONE);
    };
    let mut answer = Zeroizing::new(object.secret().expose().to_vec());
    answer.push(b'\n');
    files::print(&answer)
}

fn list(helper: &Credentials<'_>) -> anyhow::Result<()> {
    let lines: String = helper
        .hosts()?
        .into_iter()
        .map(|host| host + "\n")
        .collect();
    files::print(lines.as_bytes())
}

/// Reads to the end, and keeps what can be an object.
fn read_object() -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        stderr::note("Type a credentials object, such as {\"token\":\"…\"}, and end with Ctrl-D:");
    }
    // A buffer that grows leaves copies of the token behind.
    let mut object = Zeroizing::new(Vec::with_capacity(MAXIMUM_SIZE + 2));
    (&mut input)
        .take(MAXIMUM_SIZE as u64 + 1)
        .read_to_end(&mut object)
        .and_then(|_| io::copy(&mut input, &mut io::sink()))
        .context("standard input cannot be read")?;
    Ok(object)
}

fn with_helper(
    global: &Global,
    command: &cli::Credentials,
    work: impl FnOnce(&Credentials<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let config = global.load_config()?;
    let kind = kind(&config, command)?;
    let storage = global.storage(&config)?;
    let providers = global.key_providers(&config)?;
    work(&Credentials::new(&config, &kind, providers, storage)?)
}

/// The helper that was asked for, or the only one that there is.
fn kind(config: &Config, command: &cli::Credentials) -> anyhow::Result<String> {
    if let Some(kind) = &command.helper {
        return Ok(kind.clone());
    }
    let mut kinds = config.credentials_helpers();
    match (kinds.next(), kinds.next()) {
        (Some(only), None) => Ok(only.to_owned()),
        (None, _) => Err(keyhost::config::source::ConfigError::new(
            "the configuration has no credentials_helper block",
        )
        .into()),
        (Some(_), Some(_)) => Err(UsageError(
            "the configuration has several credentials_helper blocks: say which with --helper TYPE",
        )
        .into()),
    }
}
