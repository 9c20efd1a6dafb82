//! One test for each denial of the sandbox, most with a small faulty guest.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keyhost::component::Refused;
use keyhost::component::imports::InterfaceError;
use keyhost::config::syntax::Syntax;
use keyhost::key_provider::metadata::Purpose;
use keyhost::key_provider::output::Output;
use keyhost::key_provider::{KeyProviders, ProvideError};
use keyhost::limits::Limit;
use keyhost::plugins::error::{CallError, ErrorKind};
use keyhost::sandbox::fault::Fault;

use crate::support::{Recorded, cache, component, guest, parse};

mod wasi;

const ENCRYPTION: &str =
    "encryption {\n  key_provider \"it\" \"a\" {\n    key = \"hunter22 is the key\"\n  }\n}\n";

struct Outcome {
    result: Result<Output, ProvideError>,
    log: Vec<String>,
}

/// Runs a component as the provider `key_provider.it.a`; `more` goes into its
/// component block.
fn provide_with(path: &Path, more: &str, encryption: &str) -> Outcome {
    let text = component("it", path, more) + encryption;
    let config = parse(&text, Syntax::Hcl).expect("configuration");
    let log = Arc::new(Recorded::default());
    let providers = KeyProviders::new(&config, cache(), Arc::clone(&log) as _);
    let address = "key_provider.it.a".parse().expect("address");
    let result = providers.provide(&address, &Purpose::Encrypt);
    let log = std::mem::take(&mut *log.0.lock().expect("log"));
    Outcome { result, log }
}

/// Why a whole configuration gives no keys for `key_provider.it.a`.
fn error_of(text: &str) -> ProvideError {
    let config = parse(text, Syntax::Hcl).expect("configuration");
    let providers = crate::support::key_providers(&config);
    let address = "key_provider.it.a".parse().expect("address");
    let provided = providers.provide(&address, &Purpose::Encrypt);
    provided.expect_err("no keys")
}

fn faulty(name: &str, more: &str) -> Outcome {
    provide_with(&guest(&format!("faulty/{name}")), more, ENCRYPTION)
}

fn limits(limits: &str) -> String {
    format!("limits {{\n{limits}\n}}")
}

/// The limit that stopped a guest; its error names limit, value and setting.
fn limit_of(outcome: Outcome) -> Limit {
    let error = outcome.result.expect_err("stopped");
    let message = error.to_string();
    let ProvideError::Call {
        cause: CallError::Fault(Fault::Limit(exceeded)),
        ..
    } = error
    else {
        panic!("no limit: {message}");
    };
    let name = exceeded.limit.name();
    assert!(
        message.contains(&format!("limits {{ {name} =")),
        "{message}"
    );
    assert!(message.contains(&exceeded.maximum.to_string()), "{message}");
    exceeded.limit
}

fn refused(path: &Path) -> Refused {
    let outcome = provide_with(path, "", ENCRYPTION);
    match outcome.result.expect_err("refused") {
        ProvideError::Refused { cause, .. } => cause,
        other => panic!("not refused: {other}"),
    }
}

/// A file that lives as long as the test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("write");
    path
}

fn wat(name: &str, text: &str) -> PathBuf {
    file(name, &wat::parse_str(text).expect("WAT"))
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    assert_eq!(
        limit_of(faulty("endless_loop", &limits("fuel = 1000000"))),
        Limit::Fuel
    );
}

#[test]
fn an_endless_loop_meets_the_deadline() {
    let limits = limits("fuel = 1000000000000000\n deadline = \"50ms\"");
    assert_eq!(limit_of(faulty("endless_loop", &limits)), Limit::Deadline);
}

#[test]
fn endless_host_calls_are_counted() {
    let limits = limits("host_calls = 1000");
    assert_eq!(
        limit_of(faulty("endless_host_calls", &limits)),
        Limit::HostCalls
    );
}

#[test]
fn an_answer_after_the_deadline_is_none() {
    let outcome = faulty("sleep_once", &limits("deadline = \"50ms\""));
    assert_eq!(limit_of(outcome), Limit::Deadline);
}

#[test]
fn a_panic_is_told_in_the_log_with_its_place() {
    let outcome = faulty("panics", "");
    let line = outcome.log.first().expect("a line");
    assert!(line.contains("guests/panics.rs:"), "{line}");
    assert!(line.contains("there is no such key"), "{line}");
    let error = outcome.result.expect_err("a trap").to_string();
    assert!(error.contains("it trapped"), "{error}");
}

#[test]
fn an_endless_sleep_meets_the_deadline() {
    assert_eq!(
        limit_of(faulty("sleep", &limits("deadline = \"50ms\""))),
        Limit::Deadline
    );
}

#[test]
fn an_endless_start_function_is_stopped() {
    let text = component(
        "it",
        &guest("faulty/endless_start"),
        &limits("fuel = 1000000"),
    );
    let error = error_of(&(text + ENCRYPTION));
    assert!(matches!(error, ProvideError::Describe { .. }), "{error}");
    assert!(error.to_string().contains("the limit fuel"), "{error}");
}

#[test]
fn endless_recursion_exhausts_the_guests_stack_alone() {
    match faulty("endless_recursion", "").result.expect_err("stopped") {
        ProvideError::Call {
            cause: CallError::Fault(Fault::Trap { reason, function }),
            ..
        } => {
            assert!(
                reason.contains("stack") || reason.contains("out of bounds"),
                "{reason}"
            );
            assert!(function.is_some_and(|name| name.contains("recurse")));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn memory_growth_names_the_memory_limit() {
    assert_eq!(limit_of(faulty("memory_growth", "")), Limit::Memory);
    assert_eq!(
        limit_of(faulty("memory_growth", &limits("memory = \"2MiB\""))),
        Limit::Memory
    );
}

#[test]
fn metadata_out_is_bounded() {
    for (name, limit) in [
        ("huge_metadata", "metadata"),
        ("deep_metadata", "metadata_depth"),
    ] {
        match faulty(name, "").result.expect_err("refused") {
            ProvideError::Contract { breach, .. } => {
                assert!(breach.contains(&format!("the limit {limit} ")), "{breach}");
            }
            other => panic!("{other}"),
        }
    }
    assert!(
        faulty("huge_metadata", &limits("metadata = \"128KiB\""))
            .result
            .is_ok()
    );
    assert!(
        faulty("deep_metadata", &limits("metadata_depth = 64"))
            .result
            .is_ok()
    );
}

#[test]
fn metadata_out_is_a_json_object() {
    let error = faulty("broken_metadata", "").result.expect_err("refused");
    assert!(error.to_string().contains("not a JSON object"), "{error}");
}

#[test]
fn the_log_is_bounded() {
    let outcome = faulty("huge_log", "");
    let bytes: usize = outcome.log.iter().map(String::len).sum();
    assert!(bytes <= 64 << 10, "{bytes}");
    assert_eq!(limit_of(outcome), Limit::Log);
    let outcome = faulty("huge_log", &limits("log = 2048"));
    assert_eq!(outcome.log.len(), 2);
}

#[test]
fn secret_bytes_are_bounded() {
    assert_eq!(limit_of(faulty("secret_hoard", "")), Limit::SecretBytes);
    assert_eq!(
        limit_of(faulty("secret_hoard", &limits("secret_bytes = 65600"))),
        Limit::SecretBytes
    );
}

#[test]
fn a_key_is_bounded() {
    assert_eq!(limit_of(faulty("huge_key", "")), Limit::KeyLength);
    assert!(
        faulty("huge_key", &limits("key_length = 2048"))
            .result
            .is_ok()
    );
}

#[test]
fn a_trap_is_told_with_the_guests_own_function() {
    let error = faulty("trap", "").result.expect_err("trap").to_string();
    assert!(
        error.contains("it trapped") && error.contains("in its function"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn reveal_without_a_grant_is_an_error_value() {
    let outcome = faulty("reveal", "");
    match outcome.result.expect_err("refused") {
        ProvideError::Call {
            cause: CallError::Guest { kind, message },
            ..
        } => {
            assert_eq!(kind, ErrorKind::KeyProviderFailure);
            assert!(message.contains("not-granted"), "{message}");
        }
        other => panic!("{other}"),
    }
    assert_eq!(outcome.log, [""; 0]);
}

/// What a component answers to a key of 32 bytes.
fn told_of_a_long_key(name: &str) -> String {
    let encryption = ENCRYPTION.replace("hunter22 is the key", &"k".repeat(32));
    let path = guest(&format!("faulty/{name}"));
    match provide_with(&path, "", &encryption)
        .result
        .expect_err("an error")
    {
        ProvideError::Call {
            cause: CallError::Guest { message, .. },
            ..
        } => message,
        other => panic!("{other}"),
    }
}

/// A seal under a key that the component knows would be no seal.
#[test]
fn no_secret_is_sealed_under_a_key_of_the_components_own() {
    assert_eq!(told_of_a_long_key("reads_by_seal"), "7 keys refused");
}

/// Whether a changed secret decodes would tell its characters one by one.
#[test]
fn changed_secrets_answer_no_question() {
    let told = told_of_a_long_key("reads_by_xor");
    assert!(told.contains("had a hand in this secret"), "{told}");
}

#[test]
fn what_a_granted_component_tells_is_redacted() {
    let outcome = faulty("reveal", "grants {\n reveal = true\n}");
    let error = outcome.result.expect_err("error").to_string();
    assert!(error.contains("the key is [redacted]"), "{error}");
    assert_eq!(outcome.log, ["[redacted]"]);
}

#[test]
fn an_error_does_not_reach_the_terminal_as_it_is() {
    let error = faulty("terminal_error", "")
        .result
        .expect_err("error")
        .to_string();
    assert!(
        !error.contains(|c: char| c.is_control() || c == '\u{202e}'),
        "{error}"
    );
    assert!(error.chars().count() < 2_000);
}

#[test]
fn a_decryption_key_without_metadata_breaks_the_contract() {
    let error = faulty("decryption_key_without_metadata", "")
        .result
        .expect_err("breach");
    assert!(matches!(error, ProvideError::Contract { .. }), "{error}");
}

#[test]
fn four_billion_iterations_are_refused_before_they_start() {
    let encryption = "encryption {\n  key_provider \"it\" \"a\" {\n    passphrase = \"correct horse battery staple\"\n  }\n}\n";
    let text = component("it", &guest("pbkdf2"), "") + encryption;
    let config = parse(&text, Syntax::Hcl).expect("configuration");
    let providers = crate::support::key_providers(&config);
    let metadata = r#"{"salt":"AAECAwQFBgcICQoLDA0ODw==","iterations":4000000000,"hash_function":"sha512","key_length":32}"#;
    let stored = [("key_provider.it.a".to_owned(), metadata.to_owned())].into();
    let address = "key_provider.it.a".parse().expect("address");
    let result = providers.provide(&address, &Purpose::Decrypt(stored));
    let outcome = Outcome {
        result,
        log: Vec::new(),
    };
    assert_eq!(limit_of(outcome), Limit::KeyDerivation);
}

#[test]
fn key_derivation_is_bounded_by_its_setting() {
    let encryption = "encryption {\n  key_provider \"it\" \"a\" {\n    passphrase = \"correct horse battery staple\"\n    iterations = 200000\n  }\n}\n";
    let at = |limit: &str| provide_with(&guest("pbkdf2"), &limits(limit), encryption);
    assert!(at("key_derivation = 200000").result.is_ok());
    assert_eq!(
        limit_of(at("key_derivation = 199999")),
        Limit::KeyDerivation
    );
}

#[test]
fn an_import_that_the_host_does_not_have_is_refused() {
    let path = wat(
        "unknown-function.wasm",
        "(component
           (import \"keyhost:plugin/log@0.1.0\" (instance (export \"shout\" (func))))
           (instance $i)
           (export \"keyhost:plugin/key-provider@0.1.0\" (instance $i)))",
    );
    assert!(matches!(refused(&path), Refused::Invalid { .. }));
}

#[test]
fn a_core_module_is_refused() {
    let path = wat("core.wasm", "(module)");
    match refused(&path) {
        Refused::Interface(error @ InterfaceError::CoreModule { .. }) => {
            assert!(error.to_string().contains("keyhost componentize"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_component_of_another_world_is_refused() {
    let path = wat("no-world.wasm", "(component)");
    assert!(matches!(
        refused(&path),
        Refused::Interface(InterfaceError::NoPlugin { .. })
    ));
    match refused(&guest("env")) {
        Refused::Interface(error @ InterfaceError::OtherWorld { .. }) => {
            assert!(error.to_string().contains("is no key provider"), "{error}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn another_digest_is_refused() {
    let path = guest("static");
    let text = component("it", &path, "").replacen("sha256 = \"", "sha256 = \"0000", 1);
    let pin = text.find("0000").expect("pin");
    let text = format!("{}{}{ENCRYPTION}", &text[..pin + 64], &text[pin + 68..]);
    let error = error_of(&text);
    assert!(
        matches!(
            error,
            ProvideError::Refused {
                cause: Refused::Pin(_),
                ..
            }
        ),
        "{error}"
    );
    let message = error.to_string();
    for part in ["static.wasm", "the configuration says 0000", "keyhost pin"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn every_truncation_is_refused() {
    let whole = fs::read(guest("xor")).expect("guest");
    for length in (0..whole.len())
        .step_by(997)
        .chain([1, 4, 7, 8, 9, whole.len() - 1])
    {
        let path = file("truncated.wasm", &whole[..length]);
        drop(refused(&path));
    }
}

#[test]
fn random_files_are_refused() {
    // A linear congruential generator: the same files at every run.
    let mut state = 1_u64;
    let mut byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    for header in [&b""[..], b"\0asm", b"\0asm\x0d\0\x01\0"] {
        for length in [1, 10, 100, 10_000] {
            let random = std::iter::repeat_with(&mut byte).take(length);
            let bytes: Vec<u8> = header.iter().copied().chain(random).collect();
            drop(refused(&file("random.wasm", &bytes)));
        }
    }
}

#[test]
fn a_component_that_unfolds_is_refused() {
    // Each level instantiates the one below twice.
    let level = |below: String| {
        format!("(component {below} (instance (instantiate 0)) (instance (instantiate 0)))")
    };
    let bomb = (0..24).fold("(component)".to_owned(), |below, _| level(below));
    let path = wat("bomb.wasm", &bomb);
    assert!(matches!(
        refused(&path),
        Refused::Interface(InterfaceError::Unfolds { .. })
    ));
    let wide = "(instance (instantiate 0))".repeat(100);
    let path = wat("wide.wasm", &format!("(component (component) {wide})"));
    assert!(matches!(
        refused(&path),
        Refused::Interface(InterfaceError::Unfolds { .. })
    ));
}

#[test]
fn a_fifo_is_refused_at_once() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fifo.wasm");
    let _ = fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let text = format!(
        "component \"it\" {{\n path = \"{}\"\n sha256 = \"{}\"\n}}\n{ENCRYPTION}",
        path.display(),
        "0".repeat(64)
    );
    let error = error_of(&text);
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn a_hostile_derivation_is_refused_before_it_starts() {
    for name in ["huge_salt", "huge_hkdf"] {
        let limit = limit_of(faulty(name, ""));
        assert!(
            matches!(limit, Limit::KeyDerivation | Limit::SecretBytes),
            "{limit:?}"
        );
    }
}

#[test]
fn a_huge_descriptor_is_refused() {
    let error = faulty("huge_default", "")
        .result
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("the default of key is longer than"),
        "{error}"
    );
}

#[test]
fn redaction_neither_grows_nor_lasts() {
    let outcome = faulty("marker", "");
    assert_eq!(outcome.log, ["reda"]);
    let error = outcome.result.expect_err("error").to_string();
    assert!(error.chars().count() < 2_000);
}

#[test]
fn a_file_beyond_its_limit_is_refused() {
    let outcome = provide_with(
        &guest("static"),
        &limits("component_size = \"1KiB\""),
        ENCRYPTION,
    );
    let error = outcome.result.expect_err("refused");
    assert!(
        matches!(
            error,
            ProvideError::Refused {
                cause: Refused::Source(_),
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("component_size"), "{error}");
}

#[test]
fn what_is_no_file_is_refused() {
    let text = format!(
        "component \"it\" {{\n path = \"/dev/zero\"\n sha256 = \"{}\"\n}}\n{ENCRYPTION}",
        "0".repeat(64)
    );
    let error = error_of(&text);
    assert!(error.to_string().contains("not a regular file"), "{error}");
}
