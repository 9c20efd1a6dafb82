//! Resources for unit tests: what they were asked, and what they are to answer.

use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    Attribute, AttributeType, Diagnostic, EphemeralResources, Lease, Opened, ResourceType,
};

/// How the calls of one kind end.
#[derive(Clone, Copy, Default)]
pub(crate) enum Ending {
    #[default]
    Success,
    Failure,
    Panic,
    /// A success, after so long.
    Late(Duration),
}

/// One type, `session`: `name` is configured, `token` is computed.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) open: Ending,
    pub(crate) renew: Ending,
    pub(crate) close: Ending,
    pub(crate) types: Ending,
    pub(crate) token: Value,
    pub(crate) calls: Mutex<Vec<String>>,
}

impl Fake {
    pub(crate) fn calls(&self) -> Vec<String> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, call: String, ending: Ending) -> Result<(), Vec<Diagnostic>> {
        self.lock().push(call);
        match ending {
            Ending::Success => Ok(()),
            Ending::Failure => Err(vec![Diagnostic::error("fake failure", "")]),
            Ending::Panic => panic!("fake panic with a secret"),
            Ending::Late(delay) => {
                sleep(delay);
                Ok(())
            }
        }
    }
}

impl EphemeralResources for Fake {
    fn types(&self) -> Vec<ResourceType> {
        self.call("types".to_owned(), self.types).ok();
        let attribute = |name: &str, computed: bool| Attribute {
            name: name.to_owned(),
            kind: AttributeType::String,
            required: !computed,
            optional: false,
            computed,
            sensitive: computed,
            description: String::new(),
        };
        vec![ResourceType {
            name: "session".to_owned(),
            description: String::new(),
            attributes: vec![attribute("name", false), attribute("token", true)],
        }]
    }

    fn validate(&self, _: &str, config: &Map<String, Value>) -> Vec<Diagnostic> {
        self.lock().push(format!("validate {}", json!(config)));
        Vec::new()
    }

    fn open(&self, _: &str, config: &Map<String, Value>) -> Result<Opened, Vec<Diagnostic>> {
        let name = config.get("name").and_then(Value::as_str).unwrap_or("none");
        self.call(format!("open {name}"), self.open)?;
        Ok(Opened {
            values: Map::from_iter([("token".to_owned(), self.token.clone())]),
            lease: Lease {
                private: name.as_bytes().to_vec(),
                renew_at: None,
            },
        })
    }

    fn renew(&self, _: &str, private: &[u8]) -> Result<Lease, Vec<Diagnostic>> {
        let private = String::from_utf8_lossy(private);
        self.call(format!("renew {private}"), self.renew)?;
        Ok(Lease {
            private: format!("{private}+").into_bytes(),
            renew_at: None,
        })
    }

    fn close(&self, _: &str, private: &[u8]) -> Result<(), Vec<Diagnostic>> {
        let private = String::from_utf8_lossy(private);
        self.call(format!("close {private}"), self.close)
    }
}
