//! A provider for tests: each call adds a line to the file of `FAKE_CALLS`, and the
//! configuration says what goes wrong.
//!
//! ```text
//! start PID | validate NAME | open LEASE | opened LEASE | renew LEASE GENERATION
//! close LEASE GENERATION | closed LEASE | log TEXT
//! ```

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use keyhost_terraform_plugin::{
    Attribute, AttributeType, Diagnostic, EphemeralResources, Lease, Opened, Options, ResourceType,
    is_plugin_start, serve,
};
use serde_json::{Map, Value, json};

const SUMMARY: &str = "The fake fails";

fn main() -> ExitCode {
    if !is_plugin_start() {
        return fail("This program is a plugin: terraform starts it.");
    }
    record(&format!("start {}", process::id()));
    let options = Options {
        close_time_limit: Duration::from_secs(5),
        log: Box::new(|line| record(&format!("log {line}"))),
        ..Options::new("fake")
    };
    match serve(Arc::new(Fake::default()), options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    writeln!(io::stderr(), "{message}").expect("stderr");
    ExitCode::FAILURE
}

fn record(line: &str) {
    let path = env::var_os("FAKE_CALLS").expect("FAKE_CALLS");
    let file = OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.expect("the file of calls");
    file.write_all(format!("{line}\n").as_bytes())
        .expect("the file of calls");
}

#[derive(Default)]
struct Fake {
    opened: AtomicU32,
}

impl EphemeralResources for Fake {
    fn types(&self) -> Vec<ResourceType> {
        vec![ResourceType {
            name: "session".to_owned(),
            description: "A session that is not real.".to_owned(),
            attributes: attributes(),
        }]
    }

    fn validate(&self, _: &str, config: &Map<String, Value>) -> Vec<Diagnostic> {
        record(&format!("validate {}", text(config, "name")));
        if fails(config, "warn") {
            return vec![Diagnostic::warning("The fake warns", "").about("fail")];
        }
        if fails(config, "validate") {
            return vec![Diagnostic::error(SUMMARY, "In validate.").about("fail")];
        }
        Vec::new()
    }

    fn open(&self, _: &str, config: &Map<String, Value>) -> Result<Opened, Vec<Diagnostic>> {
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let lease = format!("{}:{}:{number}", text(config, "name"), process::id());
        record(&format!("open {lease}"));
        sleep(milliseconds(config, "open_takes"));
        assert!(!fails(config, "panic"), "in open");
        if fails(config, "open") {
            return Err(vec![Diagnostic::error(SUMMARY, "In open.").about("fail")]);
        }
        record(&format!("opened {lease}"));
        let wrong = fails(config, "values");
        let token = if wrong {
            json!(1)
        } else {
            json!(format!("s3cr3t-{lease}"))
        };
        let private = json!({ "lease": lease, "generation": 0, "config": config });
        Ok(Opened {
            values: Map::from_iter([("token".to_owned(), token)]),
            lease: lease_of(&private),
        })
    }

    fn renew(&self, _: &str, private: &[u8]) -> Result<Lease, Vec<Diagnostic>> {
        let mut private = read(private);
        let lease = private["lease"].as_str().expect("lease");
        record(&format!("renew {lease} {}", private["generation"]));
        if fails(config(&private), "renew") {
            return Err(vec![Diagnostic::error(SUMMARY, "In renew.")]);
        }
        let generation = private["generation"].as_u64().expect("generation");
        private["generation"] = json!(generation + 1);
        Ok(lease_of(&private))
    }

    fn close(&self, _: &str, private: &[u8]) -> Result<(), Vec<Diagnostic>> {
        let private = read(private);
        let lease = private["lease"].as_str().expect("lease");
        record(&format!("close {lease} {}", private["generation"]));
        sleep(milliseconds(config(&private), "close_takes"));
        if fails(config(&private), "close") {
            return Err(vec![Diagnostic::error(SUMMARY, "In close.")]);
        }
        record(&format!("closed {lease}"));
        Ok(())
    }
}

fn attributes() -> Vec<Attribute> {
    use AttributeType::{Bool, ListOfString, MapOfString, Number, String};
    let optional = |name: &str, kind| Attribute {
        name: name.to_owned(),
        kind,
        required: false,
        optional: true,
        computed: false,
        sensitive: false,
        description: std::string::String::new(),
    };
    vec![
        Attribute {
            required: true,
            optional: false,
            description: "Names the leases in the file of calls.".to_owned(),
            ..optional("name", String)
        },
        optional("fail", String),
        optional("renew_after", Number),
        optional("open_takes", Number),
        optional("close_takes", Number),
        optional("ratio", Number),
        optional("flag", Bool),
        optional("hosts", ListOfString),
        optional("labels", MapOfString),
        Attribute {
            optional: false,
            computed: true,
            sensitive: true,
            ..optional("token", String)
        },
        Attribute {
            computed: true,
            ..optional("region", String)
        },
    ]
}

fn lease_of(private: &Value) -> Lease {
    let after = config(private).get("renew_after").is_some();
    let after = after.then(|| milliseconds(config(private), "renew_after"));
    Lease {
        private: private.to_string().into_bytes(),
        renew_at: after.map(|after| SystemTime::now() + after),
    }
}

fn read(private: &[u8]) -> Value {
    serde_json::from_slice(private).expect("private bytes of the fake")
}

fn config(private: &Value) -> &Map<String, Value> {
    private["config"].as_object().expect("config")
}

fn text<'a>(config: &'a Map<String, Value>, name: &str) -> &'a str {
    config
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or("unknown")
}

fn fails(config: &Map<String, Value>, phase: &str) -> bool {
    text(config, "fail") == phase
}

fn milliseconds(config: &Map<String, Value>, name: &str) -> Duration {
    let number = config.get(name).and_then(Value::as_u64).unwrap_or(0);
    Duration::from_millis(number)
}
