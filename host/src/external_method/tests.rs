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
            r#"echo '{"magic":"OpenTofu-External-Encryption-Method","version":"1"}'"#.to_owned(),
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
    let script = format!("{HEADER}; cat >/dev/null; tr '\\0' ' ' </proc/$$/cmdline >&2; exit 1");
    let message = error(&script);
    assert!(message.contains("cmdline"), "{message}");
    assert!(
        !message.contains("MDEy") && !message.contains("cGF5"),
        "{message}"
    );
}
