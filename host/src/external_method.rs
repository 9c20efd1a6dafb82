//! The client of OpenTofu's external encryption method protocol, version 1: a
//! program gets a key and a payload as JSON on standard input, and answers with
//! a header line and another payload on standard output.
//! <https://opentofu.org/docs/language/state/encryption/#external-experimental-1>

mod complaint;
mod conversation;
mod error;
mod request;

use std::borrow::Cow;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use zeroize::Zeroizing;

pub use error::ExternalMethodError;

use crate::secret::Secret;
use conversation::{Heard, Interrupted};
use error::Failure;
use request::Request;

/// What the header's `magic` is.
const MAGIC: &str = "OpenTofu-External-Encryption-Method";

/// The only version of the protocol.
const VERSION: u64 = 1;

/// How long a program may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The most that a program may answer, in bytes, whatever it was given.
const MAXIMUM_ANSWER_SIZE: usize = 1 << 30;

/// Programs may compress: an answer may be this many times as long as what was
/// given.
const MAXIMUM_EXPANSION: usize = 64;

/// An answer may always have this many bytes.
const MINIMUM_ANSWER_ALLOWANCE: usize = 64 << 20;

/// How often a program that closed its pipes is looked at until it ends.
const END_INTERVAL: Duration = Duration::from_millis(5);

/// The first line of an answer. Later versions may have more fields.
#[derive(Deserialize)]
struct Header {
    magic: String,
    version: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer<'a> {
    #[serde(borrow)]
    payload: Cow<'a, str>,
}

/// Has a program encrypt or decrypt a payload. It gets this process's
/// environment and working directory, and the key on standard input alone. It is
/// stopped where it takes longer than [`TIME_LIMIT`].
///
/// # Errors
/// [`ExternalMethodError`]; the program has ended then, too.
pub fn run(
    command: &[String],
    key: Option<&Secret>,
    payload: &[u8],
) -> Result<Secret, ExternalMethodError> {
    run_within(TIME_LIMIT, command, key, payload)
}

fn run_within(
    limit: Duration,
    command: &[String],
    key: Option<&Secret>,
    payload: &[u8],
) -> Result<Secret, ExternalMethodError> {
    let (program, arguments) = command
        .split_first()
        .filter(|(program, _)| !program.is_empty())
        .ok_or(ExternalMethodError::NoCommand)?;
    let deadline = Instant::now() + limit;
    let maximum = MAXIMUM_EXPANSION
        .saturating_mul(payload.len())
        .saturating_add(MINIMUM_ANSWER_ALLOWANCE)
        .min(MAXIMUM_ANSWER_SIZE);
    let mut failure = Failure::new(program, key);
    let mut running = Running::start(program, arguments).map_err(|cause| failure.start(cause))?;
    let request = Request::new(key, payload);
    let mut heard = Heard::new(maximum, |line| header(line).err());
    let talked = conversation::hold(&mut running.0, request, &mut heard, deadline);
    failure.stderr = complaint::shown(heard.stderr(), &failure.redactions, payload);
    match talked {
        Ok(()) => {}
        Err(Interrupted::Deadline) => return Err(failure.time_limit(limit)),
        Err(Interrupted::TooLong) => return Err(failure.too_long(maximum)),
        Err(Interrupted::Breach(breach)) => return Err(failure.protocol(breach)),
        Err(Interrupted::Pipe(cause)) => return Err(failure.pipe(cause)),
    }
    let status = running
        .end(deadline)
        .map_err(|cause| failure.pipe(cause))?
        .ok_or_else(|| failure.time_limit(limit))?;
    if !status.success() {
        return Err(failure.failed(status));
    }
    let body = heard
        .body()
        .ok_or_else(|| failure.protocol("it wrote no header line"))?;
    answer(body).map_err(|breach| failure.protocol(breach))
}

fn header(line: &[u8]) -> Result<(), &'static str> {
    let header: Header = serde_json::from_slice(line)
        .map_err(|_| "its first line is not a header with a magic and a version")?;
    if header.magic != MAGIC {
        return Err("its header has another magic");
    }
    if header.version != VERSION {
        return Err("its header has another version than 1");
    }
    Ok(())
}

fn answer(body: &[u8]) -> Result<Secret, &'static str> {
    let answer: Answer<'_> = serde_json::from_slice(body)
        .map_err(|_| "after the header comes no JSON object with a payload alone")?;
    let payload = match answer.payload {
        Cow::Borrowed(text) => STANDARD.decode(text),
        // Escapes in it are line breaks, which base64 often has.
        Cow::Owned(text) => {
            let mut text = Zeroizing::new(text);
            text.retain(|character| !matches!(character, '\r' | '\n'));
            STANDARD.decode(text.as_bytes())
        }
    };
    let payload = payload.map_err(|_| "its payload is not standard base64 with padding")?;
    if payload.is_empty() {
        return Err("its payload is empty");
    }
    Ok(Secret::new(payload))
}

/// A program that runs: it is stopped and waited for, whatever happens.
struct Running(Child);

impl Running {
    fn start(program: &str, arguments: &[String]) -> io::Result<Self> {
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map(Self)
    }

    /// Waits for its end: `None` at the deadline.
    fn end(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            std::thread::sleep(END_INTERVAL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests;
