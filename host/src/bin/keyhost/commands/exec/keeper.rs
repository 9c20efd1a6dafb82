//! The keeper: a process of its own that opens, renews and closes. It ends when
//! whoever started it closes its standard input, or is gone.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use keyhost::clock::WallClock;
use keyhost::config::ephemeral::EphemeralAddress;
use keyhost::ephemeral::EphemeralResources;
use keyhost::ephemeral::leases::Leases;
use zeroize::Zeroizing;

use super::environment::Values;
use super::signals;
use crate::cli::Global;
use crate::error::CommandEnded;
use crate::stderr;

/// How often renewals are looked at.
const TICK: Duration = Duration::from_millis(250);

/// The keeper, as the process sees it that runs the command.
pub(super) struct Keeper(Child);

impl Keeper {
    /// Starts one, with this process's configuration.
    pub(super) fn start(global: &Global, addresses: &[EphemeralAddress]) -> anyhow::Result<Self> {
        let program = env::current_exe().context("keyhost does not find its own file")?;
        let mut command = Command::new(program);
        global.pass_on(&mut command);
        command
            .args(["exec", "--keep"])
            .args(addresses.iter().map(ToString::to_string))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Keys of the terminal do not reach it.
            .process_group(0);
        let child = command.spawn().context("the keeper cannot be started")?;
        Ok(Self(child))
    }

    /// The values, once everything is open. The keeper tells errors itself.
    pub(super) fn values(&mut self) -> anyhow::Result<Values> {
        let output = self.0.stdout.take().context("the keeper has no output")?;
        let mut line = Zeroizing::new(Vec::new());
        BufReader::new(output).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            let code = self.0.wait()?.code().unwrap_or(1);
            return Err(CommandEnded(u8::try_from(code).unwrap_or(1)).into());
        }
        Ok(serde_json::from_slice(&line)?)
    }

    /// Has everything closed, and waits for it.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        drop(self.0.stdin.take());
        let status = self.0.wait().context("the keeper's end is unknown")?;
        ensure!(status.success(), "not every ephemeral resource was closed");
        Ok(())
    }
}

/// What the keeper does.
pub(super) fn run(global: &Global, addresses: &[EphemeralAddress]) -> anyhow::Result<()> {
    signals::ignore()?;
    let (gone, asked) = mpsc::channel::<()>();
    thread::spawn(move || {
        // Whatever comes: the end of the input is what counts.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        drop(gone);
    });
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let resources = EphemeralResources::new(&config, providers, global.storage(&config)?);
    let loaded = addresses.iter();
    let loaded = loaded
        .map(|address| resources.load(address))
        .collect::<Result<Vec<_>, _>>()?;
    let report = Box::new(|error: &_| stderr::warning(&format!("{error}")));
    let mut leases = Leases::new(WallClock::system(), report);
    let mut values = Values::default();
    for resource in loaded {
        if asked.try_recv() == Err(mpsc::TryRecvError::Disconnected) {
            bail!("nobody waits for the values any more");
        }
        let open = leases.open(resource)?;
        for name in open.outputs().names() {
            let value = open.outputs().text(name).context("a value is missing")?;
            let text = std::str::from_utf8(value.expose()).context("a value is not UTF-8")?;
            values.insert(
                open.address().to_string(),
                name.to_owned(),
                Zeroizing::new(text.to_owned()),
            );
        }
    }
    let mut line = Zeroizing::new(serde_json::to_vec(&values)?);
    line.push(b'\n');
    drop(values);
    // Where nobody reads, nobody waits either: what is open is closed.
    let _ = io::stdout().write_all(&line);
    drop(line);
    while asked.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        leases.renew_due();
    }
    let errors = leases.close_all();
    for error in &errors {
        stderr::warning(&error.to_string());
    }
    ensure!(errors.is_empty(), "not every ephemeral resource was closed");
    Ok(())
}
