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
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::{ExternalMethodError, Secret, TIME_LIMIT, run, run_within};

    const HEADER: &str = r#"echo '{"magic":"OpenTofu-External-Encryption-Method","version":1}'"#;

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    fn key() -> Secret {
        Secret::from(&b"0123456789abcdef"[..])
    }

    fn ask(script: &str) -> Result<String, ExternalMethodError> {
        let answer = run(&shell(script), Some(&key()), b"payload")?;
        Ok(String::from_utf8(answer.expose().to_vec()).expect("UTF-8"))
    }

    fn error(script: &str) -> String {
        ask(script).expect_err(script).to_string()
    }

    #[test]
    fn a_program_gets_key_and_payload_and_answers() {
        let directory = tempfile::tempdir().expect("directory");
        let file = directory.path().join("request");
        let script = format!(
            "{HEADER}; cat >{}; echo '{{\"payload\":\"YW5zd2Vy\"}}'",
            file.display()
        );
        assert_eq!(ask(&script).expect("answer"), "answer");
        assert_eq!(
            fs::read_to_string(&file).expect("request"),
            "{\"key\":\"MDEyMzQ1Njc4OWFiY2RlZg==\",\"payload\":\"cGF5bG9hZA==\"}\n"
        );
        run(&shell(&script), None, b"payload").expect("answer");
        assert_eq!(
            fs::read_to_string(&file).expect("request"),
            "{\"payload\":\"cGF5bG9hZA==\"}\n"
        );
    }

    #[test]
    fn base64_may_have_line_breaks_and_headers_more_fields() {
        let script = r#"echo '{"version":1,"magic":"OpenTofu-External-Encryption-Method","more":[]}'
            printf '%s' '{"payload":"YW5z\nd2Vy\n"}'"#;
        assert_eq!(ask(script).expect("answer"), "answer");
    }

    #[test]
    fn a_program_need_not_read_what_it_is_given() {
        let script = format!("exec <&-; {HEADER}; echo '{{\"payload\":\"YQ==\"}}'");
        let large = vec![7; 1 << 20];
        let answer = run(&shell(&script), None, &large).expect("answer");
        assert_eq!(answer.expose(), b"a");
    }

    #[test]
    fn large_payloads_go_both_ways_at_once() {
        // It answers while it is still asked: both pipes are full.
        let script = format!("{HEADER}; sed 's/.*\"payload\"/{{\"payload\"/'");
        let large: Vec<u8> = (0..3_000_001_u32)
            .map(|number| number.to_le_bytes()[0])
            .collect();
        let answer = run(&shell(&script), Some(&key()), &large).expect("answer");
        assert!(answer.expose() == large);
    }

    #[test]
    fn what_does_not_speak_the_protocol_is_refused() {
        let good = r#"{"payload":"YQ=="}"#;
        for (script, part) in [
            ("true".to_owned(), "no header line"),
            (format!("printf '%s' '{good}'"), "no header line"),
            (format!("echo '{good}'"), "first line is not a header"),
            (
                r#"echo '{"magic":"OpenTofu-External-Key-Provider","version":1}'"#.to_owned(),
                "another magic",
            ),
            (
                r#"echo '{"magic":"OpenTofu-External-Encryption-Method","version":2}'"#.to_owned(),
                "another version",
            ),
            (
                r#"echo '{"magic":"OpenTofu-External-Encryption-Method","version":"1"}'"#
                    .to_owned(),
                "first line is not a header",
            ),
            (
                "head -c 5000 /dev/zero".to_owned(),
                "first line is too long",
            ),
            (HEADER.to_owned(), "no JSON object"),
            (format!("{HEADER}; echo '{{}}'"), "no JSON object"),
            (format!("{HEADER}; echo null"), "no JSON object"),
            (
                format!("{HEADER}; echo '{{\"payload\":null}}'"),
                "no JSON object",
            ),
            (
                format!("{HEADER}; echo '{{\"payload\":\"YQ==\",\"x\":1}}'"),
                "no JSON object",
            ),
            (format!("{HEADER}; echo '{good}{good}'"), "no JSON object"),
            (
                format!("{HEADER}; echo '{{\"payload\":\"YQ\"}}'"),
                "not standard base64",
            ),
            (
                format!("{HEADER}; echo '{{\"payload\":\"\"}}'"),
                "payload is empty",
            ),
        ] {
            let message = error(&script);
            assert!(message.contains(part), "{script}: {message}");
        }
    }

    #[test]
    fn a_failure_tells_what_the_program_said_without_secrets() {
        let message = error(
            "cat >/dev/null; printf 'no token\\033[2J for 0123456789abcdef or MDEyMzQ1Njc4OWFiY2RlZg' >&2; exit 7",
        );
        assert_eq!(
            message,
            "the program sh failed with exit status: 7; it said: no token\\u{1b}[2J for [redacted] or [redacted]"
        );
        let message = error("head -c 100000000 /dev/zero | tr '\\0' x >&2; exit 1");
        assert!(message.len() < 1_200, "{}", message.len());
        let message = error("kill -9 $$");
        assert!(message.contains("signal: 9"), "{message}");
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let command = vec!["/nowhere/program".to_owned(), "--token=x".to_owned()];
        let message = run(&command, None, b"x").expect_err("missing").to_string();
        assert!(
            message.starts_with("the program /nowhere/program cannot be run"),
            "{message}"
        );
        assert!(!message.contains("token"), "{message}");
        assert!(matches!(
            run(&[], None, b"x"),
            Err(ExternalMethodError::NoCommand)
        ));
        assert!(matches!(
            run(&[String::new()], None, b"x"),
            Err(ExternalMethodError::NoCommand)
        ));
    }

    #[test]
    fn endless_output_is_stopped() {
        let begun = Instant::now();
        let result = ask(&format!("{HEADER}; exec yes"));
        assert!(
            matches!(result, Err(ExternalMethodError::TooLong { .. })),
            "{result:?}"
        );
        assert!(begun.elapsed() < TIME_LIMIT / 2);
    }

    #[test]
    fn a_child_that_is_left_behind_holds_nothing_back() {
        let begun = Instant::now();
        let script = format!("sleep 20 & {HEADER}; echo '{{\"payload\":\"YQ==\"}}'");
        assert_eq!(ask(&script).expect("answer"), "a");
        assert!(begun.elapsed() < Duration::from_secs(15));
    }

    #[test]
    fn a_child_that_chatters_holds_nothing_back() {
        let begun = Instant::now();
        for pipes in ["", ">/dev/null"] {
            let script = format!(
                "{{ timeout 20 yes >&2; }} {pipes} & {HEADER}; echo '{{\"payload\":\"YQ==\"}}'"
            );
            assert_eq!(ask(&script).expect("answer"), "a");
        }
        assert!(begun.elapsed() < Duration::from_secs(15));
    }

    #[test]
    fn a_failure_does_not_show_what_was_encrypted() {
        let state = br#"{"version":4,"outputs":{"password":{"value":"hunter22hunter22"}}}"#;
        for script in [
            "cat >&2; exit 1",
            "tee /dev/stderr >/dev/null",
            "sed 's/.*payload\":\"//; s/\".*//' | base64 -d >&2; exit 1",
        ] {
            let error = run(&shell(script), Some(&key()), state).expect_err(script);
            let message = format!("{error} {error:?}");
            assert!(message.contains("[redacted]"), "{message}");
            for part in ["eyJ2", "hunter", "version\":4", "MDEyMzQ1"] {
                assert!(!message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn a_program_that_hangs_is_stopped_and_waited_for() {
        let directory = tempfile::tempdir().expect("directory");
        for (number, hang) in [
            "exec sleep 100",
            "exec >&- 2>&-; exec sleep 100",
            "sleep 3 & wait",
        ]
        .into_iter()
        .enumerate()
        {
            let file = directory.path().join(number.to_string());
            let script = format!("echo $$ >{}; echo waiting >&2; {hang}", file.display());
            let limit = Duration::from_millis(300);
            let result = run_within(limit, &shell(&script), None, b"x");
            let Err(ExternalMethodError::TimeLimit { stderr, .. }) = result else {
                panic!("{hang}: {result:?}");
            };
            assert_eq!(stderr, "waiting", "{hang}");
            let pid = fs::read_to_string(&file).expect("pid");
            let process = format!("/proc/{}", pid.trim());
            assert!(
                !fs::exists(&process).expect("proc"),
                "{hang}: it still runs"
            );
        }
    }

    #[test]
    fn keys_and_payloads_are_no_arguments() {
        let script =
            format!("{HEADER}; cat >/dev/null; tr '\\0' ' ' </proc/$$/cmdline >&2; exit 1");
        let message = error(&script);
        assert!(message.contains("cmdline"), "{message}");
        assert!(
            !message.contains("MDEy") && !message.contains("cGF5"),
            "{message}"
        );
    }
}
