//! The compliance suite over guests that hold it, and over one for each check
//! that fails exactly this check.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, guest, program, run};

fn judge(arguments: &[&str]) -> Run {
    let mut command = program();
    run(
        command
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .arg("compliance")
            .args(arguments),
        b"",
    )
}

fn path(name: &str) -> String {
    guest(name).display().to_string()
}

fn manifest(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(path)
        .display()
        .to_string()
}

/// The checks that a report says failed or warned, of its only component.
fn found(report: &str) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let checks = report["components"][0]["checks"]
        .as_array()
        .expect("checks");
    checks
        .iter()
        .filter(|check| check["outcome"] == "failed" || check["outcome"] == "warning")
        .map(|check| check["id"].as_str().expect("id").to_owned())
        .collect()
}

/// The cases of the samples that faulty guests are spoiled from.
const SAMPLE: &str = "tests/data/sample.compliance.toml";
const SAMPLE_HELPER: &str = "tests/data/sample_helper.compliance.toml";
const SAMPLE_EPHEMERAL: &str = "tests/data/sample_ephemeral.compliance.toml";

/// Judges a guest spoiled from a sample, with the sample's cases; `edit`
/// replaces a part of them.
fn judge_sample(cases: &str, name: &str, edit: Option<(&str, &str)>) -> (Run, BTreeSet<String>) {
    let mut cases = fs::read_to_string(manifest(cases)).expect("cases");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut label = name.to_owned();
    if let Some((from, to)) = edit {
        assert!(cases.contains(from), "{from}");
        cases = cases.replace(from, to);
        label = format!("{name}-{}", from.len() * 1000 + to.len());
    }
    let file = file.join(format!("{label}.compliance.toml"));
    fs::write(&file, cases).expect("write");
    let component = path(&format!("faulty/{name}"));
    let cases = file.display().to_string();
    let run = judge(&[
        &component, "--cases", &cases, "--format", "json", "--reveal",
    ]);
    let found = found(&run.stdout);
    (run, found)
}

/// Guest, change of its cases, and the one check that it fails.
type Row = (
    &'static str,
    Option<(&'static str, &'static str)>,
    &'static str,
);

/// What of the cases is left out where something is to be missing.
const VALID_HCL: &str =
    "{ key = \"correct horse battery staple\" }'\nvalid = true\nvalid_build = true\n\n[[hcl]]";
const SHORT_HCL: &str = "name = \"short key\"\ntext = 'key_provider \"sample\" \"foo\" { key = \"short\" }'\nvalid = true\n";
const INVALID_HCL: &str =
    "[[hcl]]\nname = \"no key\"\ntext = 'key_provider \"sample\" \"foo\" {}'\nvalid = false\n";
const ABSENT: &str = "[[metadata]]\nname = \"not present\"\nattributes = { key = \"correct horse battery staple\" }\n";
const PROVIDE: &str =
    "[provide]\nattributes = { key = \"correct horse battery staple\" }\nkey_length = 32\n";

const ROWS: [Row; 38] = [
    ("silent_descriptor", None, "descriptor/answers"),
    ("capital_attribute", None, "descriptor/contract"),
    ("unstable_descriptor", None, "descriptor/stable"),
    ("no_version", None, "descriptor/version"),
    ("open_password", None, "descriptor/sensitive-names"),
    (
        "no_fault",
        Some(("{ key = \"short\" }'", "{ salt = \"short\" }'")),
        "parsing/hcl",
    ),
    (
        "no_fault",
        Some((
            "{\"foo\": {}}}}'\nvalid = false",
            "{\"foo\": {}}}}'\nvalid = true",
        )),
        "parsing/json",
    ),
    ("reference_as_text", None, "parsing/references"),
    ("refuses_valid", None, "build/valid"),
    ("wrong_build_error", None, "build/invalid"),
    ("key_without_metadata", None, "metadata/absent"),
    ("forgets_old", None, "metadata/valid"),
    ("changed_derivation", None, "metadata/known-keys"),
    ("accepts_forbidden", None, "metadata/invalid"),
    ("no_metadata", None, "provide/first-call"),
    (
        "other_decryption_key",
        Some(("\ndecryption_key = ", "\n# key = ")),
        "provide/round-trip",
    ),
    (
        "short_key",
        Some(("\ndecryption_key = ", "\n# key = ")),
        "provide/key-length",
    ),
    (
        "no_fault",
        Some((
            "key_length = 32",
            "key_length = 32\nencryption_key = \"00\"",
        )),
        "provide/expected-key",
    ),
    ("constant_salt", None, "provide/fresh-metadata"),
    ("random_key", None, "provide/same-key"),
    (
        "no_fault",
        Some((INVALID_HCL, "")),
        "completeness/invalid-hcl",
    ),
    (
        "no_fault",
        Some((
            SHORT_HCL,
            "name = \"short key\"\ntext = 'key_provider \"sample\" \"foo\" { key = [] }'\nvalid = false\n",
        )),
        "completeness/invalid-build",
    ),
    (
        "no_fault",
        Some((VALID_HCL, "{ key = \"short\" }'\nvalid = true\n\n[[hcl]]")),
        "completeness/valid-hcl",
    ),
    (
        "no_fault",
        Some((ABSENT, "")),
        "completeness/absent-metadata",
    ),
    ("no_fault", Some((PROVIDE, "")), "completeness/provide"),
    (
        "no_fault",
        Some((
            "metadata = '{\"salt\":\"00112233445566778899aabbccddeeXX\"}'",
            "",
        )),
        "completeness/invalid-metadata",
    ),
    ("traps_on_missing_field", None, "hostile-metadata/no-trap"),
    (
        "wrong_metadata_error",
        None,
        "hostile-metadata/typed-answer",
    ),
    ("secret_in_salt", None, "leaks/metadata"),
    ("secret_in_error", None, "leaks/errors"),
    ("secret_in_log", None, "leaks/log"),
    ("secret_in_descriptor", None, "leaks/descriptor"),
    ("counts_calls", None, "isolation/same-instance"),
    ("guesses_after_mismatch", None, "isolation/side-by-side"),
    ("much_memory", None, "limits/memory"),
    ("much_fuel", None, "limits/fuel"),
    ("imports_wasi", None, "limits/imports"),
    ("no_fault", None, ""),
];

const HELPER: &str = "[helper]\nattributes = { key = \"key_provider.test.a\" }\n";

const HELPER_ROWS: [Row; 16] = [
    ("helper_no_fault", None, ""),
    ("empty_token_for_unknown", None, "credentials/unknown-host"),
    (
        "helper_no_fault",
        Some((
            HELPER,
            "[helper]\nattributes = { key = \"key_provider.test.a\" }\nknown = { \"a.example.com\" = \"{}\" }\n",
        )),
        "credentials/known-host",
    ),
    ("drops_unknown_properties", None, "credentials/round-trip"),
    ("keeps_the_first", None, "credentials/replace"),
    ("forgets_nothing", None, "credentials/forget"),
    (
        "fails_to_forget_nothing",
        None,
        "credentials/forget-nothing",
    ),
    ("sends_to_subdomains", None, "credentials/hosts-apart"),
    ("hides_hosts", None, "credentials/hosts"),
    ("records_for_any_host", None, "credentials/swapped-records"),
    ("silent_about_changes", None, "credentials/changed-records"),
    (
        "helper_no_fault",
        Some((
            HELPER,
            "[helper]\nattributes = { key = \"key_provider.test.a\" }\nread_only = true\n",
        )),
        "credentials/read-only",
    ),
    ("helper_no_fault", Some((HELPER, "")), "completeness/helper"),
    ("token_in_storage_key", None, "credentials-leaks/storage"),
    ("token_in_helper_error", None, "credentials-leaks/errors"),
    ("token_in_helper_log", None, "credentials-leaks/log"),
];

const EPHEMERAL_ROWS: [Row; 14] = [
    ("ephemeral_no_fault", None, ""),
    (
        "missing_output",
        Some(("values = { id = \"lease\" }\n", "")),
        "ephemeral/opens",
    ),
    (
        "ephemeral_no_fault",
        Some(("id = \"lease\"", "id = \"another\"")),
        "ephemeral/expected-values",
    ),
    ("renews_in_the_past", None, "ephemeral/renew-at"),
    ("forgets_to_renew", None, "ephemeral/renews"),
    ("renews_for_ever", None, "ephemeral/maximum-lifetime"),
    ("fails_to_close", None, "ephemeral/closes"),
    ("fails_to_close_again", None, "ephemeral/closes-again"),
    ("closes_nothing", None, "ephemeral/closed-is-closed"),
    (
        "traps_on_foreign_private",
        None,
        "ephemeral/foreign-private",
    ),
    (
        "ephemeral_no_fault",
        Some((
            "[ephemeral]\nattributes = { key = \"key_provider.test.a\" }\nmaximum_lifetime = 600\nvalues = { id = \"lease\" }\n",
            "",
        )),
        "completeness/ephemeral",
    ),
    ("token_in_private", None, "ephemeral-leaks/storage"),
    ("token_in_ephemeral_log", None, "ephemeral-leaks/texts"),
    ("same_token", None, "ephemeral-leaks/fresh"),
];

/// The sample's cases, without those between two marks.
fn without(start: &str, end: &str) -> String {
    let cases = fs::read_to_string(manifest(SAMPLE)).expect("cases");
    let (start, end) = (
        cases.find(start).expect("start"),
        cases.find(end).expect("end"),
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without.compliance.toml");
    fs::write(&file, format!("{}{}", &cases[..start], &cases[end..])).expect("write");
    file.display().to_string()
}

#[test]
fn a_missing_case_of_valid_metadata_is_a_warning() {
    let cases = without(
        "[[metadata]]\nname = \"valid\"",
        "[[metadata]]\nname = \"invalid\"",
    );
    let component = path("faulty/no_fault");
    let run = judge(&[&component, "--cases", &cases, "--format", "json"]);
    assert_eq!(
        found(&run.stdout),
        BTreeSet::from(["completeness/valid-metadata".to_owned()])
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let strict = judge(&[
        &component, "--cases", &cases, "--format", "json", "--strict",
    ]);
    assert_eq!(strict.code, Some(1));
}

#[test]
fn a_missing_case_file_fails_a_component() {
    let run = judge(&[&path("faulty/no_fault"), "--format", "json"]);
    assert_eq!(
        found(&run.stdout),
        BTreeSet::from(["completeness/case-file".to_owned()])
    );
    assert_eq!(run.code, Some(1));
}

#[test]
fn every_check_has_a_guest_that_fails_it() {
    let elsewhere = ["completeness/case-file", "completeness/valid-metadata"];
    let rows = ROWS.iter().chain(&HELPER_ROWS).chain(&EPHEMERAL_ROWS);
    let failed: BTreeSet<_> = rows.map(|(_, _, id)| *id).chain(elsewhere).collect();
    let checks = keyhost_compliance::runner::checks();
    let unfailed: Vec<_> = checks
        .iter()
        .map(|check| check.id)
        .filter(|id| !failed.contains(id))
        .collect();
    assert!(unfailed.is_empty(), "{unfailed:?}");
}

#[test]
fn the_built_guests_hold_all_checks() {
    let components = [
        "static",
        "xor",
        "pbkdf2",
        "vault",
        "env",
        "session",
        "derived-key",
    ];
    let components = components.map(path);
    let mut arguments: Vec<_> = components.iter().map(String::as_str).collect();
    arguments.extend(["--jobs", "2", "--strict"]);
    let run = judge(&arguments);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("7 of 7 components hold all checks"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_component_that_cannot_be_loaded_is_told_apart() {
    let broken = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.wasm");
    fs::write(&broken, "no component").expect("write");
    let broken = broken.display().to_string();
    let run = judge(&[&broken, &path("static"), "--suite", "descriptor"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stdout.contains("REFUSED"), "{}", run.stdout);
    assert!(
        run.stdout.contains("1 of 2 components hold all checks"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_failure_says_what_came_and_how_to_run_it_alone() {
    let component = path("faulty/no_version");
    let cases = manifest(SAMPLE);
    let run = judge(&[
        &component,
        "--cases",
        &cases,
        "--suite",
        "descriptor/version",
    ]);
    assert_eq!(run.code, Some(1));
    for part in [
        "FAILED descriptor/version",
        "expected: a version such as 1.2.3",
        "came:     \"\"",
        "--suite descriptor/version",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn reports_come_as_junit_and_into_a_file() {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit.xml");
    let file = output.display().to_string();
    let run = judge(&[&path("static"), "--format", "junit", "--output", &file]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), ""),
        "{}",
        run.stderr
    );
    let xml = fs::read_to_string(&output).expect("report");
    assert!(
        xml.contains("<testsuites") && xml.contains("provide/round-trip"),
        "{xml}"
    );
    assert!(xml.contains("failures=\"0\""), "{xml}");
}

#[test]
fn shards_share_the_components() {
    let components = [path("static"), path("xor"), path("faulty/no_fault")];
    let judged = |shard: &str| {
        let [a, b, c] = &components;
        let run = judge(&[
            a,
            b,
            c,
            "--suite",
            "descriptor/answers",
            "--format",
            "json",
            "--shard",
            shard,
        ]);
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let names = report["components"].as_array().expect("components").iter();
        names
            .map(|one| one["component"].as_str().expect("name").to_owned())
            .collect::<Vec<_>>()
    };
    let mut all = [judged("1/2"), judged("2/2")].concat();
    assert_eq!(all.len(), 3);
    all.sort();
    let mut expected = components.to_vec();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn a_wrong_case_file_is_told_with_its_place() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.compliance.toml");
    fs::write(&file, "version = 1\nhlc = []\n").expect("write");
    let run = judge(&[&path("static"), "--cases", &file.display().to_string()]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("wrong.compliance.toml:2:1: unknown field"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_schema_of_case_files_is_printed() {
    let run = judge(&["--schema"]);
    let schema: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(schema["properties"]["provide"].is_object());
    assert_eq!(judge(&[]).code, Some(2));
    assert_eq!(
        judge(&[&path("static"), "--suite", "nothing"]).code,
        Some(2)
    );
}

#[test]
fn each_faulty_guest_fails_its_own_check_and_no_other() {
    let rows = ROWS.iter().map(|row| (SAMPLE, row));
    let rows: Vec<_> = rows
        .chain(HELPER_ROWS.iter().map(|row| (SAMPLE_HELPER, row)))
        .chain(EPHEMERAL_ROWS.iter().map(|row| (SAMPLE_EPHEMERAL, row)))
        .collect();
    let failure = |(cases, (name, edit, expected)): &(&str, &Row)| {
        let (run, found) = judge_sample(cases, name, *edit);
        let expected: BTreeSet<_> = [*expected]
            .into_iter()
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect();
        (found != expected).then(|| format!("{name}: {found:?}, not {expected:?} {}", run.stderr))
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = rows
            .chunks(rows.len().div_ceil(2))
            .map(|rows| scope.spawn(|| rows.iter().filter_map(failure).collect::<Vec<_>>()))
            .collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().expect("no panic"))
            .collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
