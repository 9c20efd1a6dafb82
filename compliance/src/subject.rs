//! What the suite needs of a host to judge a component.

use std::collections::BTreeMap;

use serde_json::Value;

/// A kind of plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A source of keys.
    KeyProvider,
    /// A store of tokens.
    CredentialsHelper,
    /// A value that lives for one operation.
    EphemeralResource,
}

/// A component under judgement. Secrets in it are made up.
pub trait Subject: Sync {
    /// What the component is.
    fn kind(&self) -> Kind;

    /// What the component is called in reports.
    fn name(&self) -> &str;

    /// The names that the component imports.
    fn imports(&self) -> &[String];

    /// Asks the component what it is, without judging the answer.
    ///
    /// # Errors
    /// [`Failure`] when it gives no answer.
    fn describe(&self) -> Result<Descriptor, Failure>;

    /// What the host itself finds wrong in a descriptor.
    fn breach(&self, descriptor: &Descriptor) -> Option<String>;

    /// Decodes the block that configures the component. References resolve to `keys`, by address.
    ///
    /// # Errors
    /// [`Failure`] of kind [`FailureKind::Parsing`].
    fn decode(
        &self,
        syntax: Syntax,
        text: &str,
        keys: &BTreeMap<String, Keys>,
    ) -> Result<Settings, Failure>;

    /// Builds what the component makes of a configuration, and drops it.
    ///
    /// # Errors
    /// What the component answers.
    fn build(&self, settings: &Settings) -> Observed<()>;

    /// Of a key provider: builds one and asks it for keys, once for each
    /// metadata, all in one instance. Stops at a trap.
    fn provide_each(&self, _: &Settings, _: &[Option<&str>]) -> Vec<Observed<Provided>> {
        Vec::new()
    }

    /// Of a credentials helper: a configured one, with a storage of its own
    /// that is empty.
    fn helper<'a>(&'a self, _: &'a Settings) -> Option<Box<dyn Helper + 'a>> {
        None
    }

    /// Of an ephemeral resource: a configured one, with a storage of its own
    /// that is empty, and a clock that stands.
    fn ephemeral<'a>(&'a self, _: &'a Settings) -> Option<Box<dyn Ephemeral + 'a>> {
        None
    }

    /// Builds a provider and asks it for keys, in a fresh instance.
    fn provide(&self, settings: &Settings, metadata: Option<&str>) -> Observed<Provided> {
        let mut answers = self.provide_each(settings, &[metadata]);
        answers.pop().unwrap_or_else(|| Observed {
            result: Err(Failure {
                kind: FailureKind::Trap,
                message: "the host gave no answer".to_owned(),
            }),
            log: Vec::new(),
        })
    }
}

/// A configured ephemeral resource, with a storage and a clock of its own. Every
/// call is a fresh instance.
pub trait Ephemeral {
    /// Makes the values and begins a lease.
    fn open(&self) -> Observed<Opened>;

    /// Extends a lease.
    fn renew(&self, private: &[u8]) -> Observed<Lease>;

    /// Ends a lease.
    fn close(&self, private: &[u8]) -> Observed<()>;

    /// What lies in its storage.
    fn records(&self) -> Vec<(String, Vec<u8>)>;

    /// The time that it is told, in seconds since 1970.
    fn now(&self) -> u64;

    /// Tells it another time.
    fn set_now(&self, seconds: u64);
}

/// What is kept of an open resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The component's notes.
    pub private: Vec<u8>,
    /// When to renew, in seconds since 1970.
    pub renew_at: Option<u64>,
}

/// What opening gave.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The plain values.
    pub values: serde_json::Map<String, Value>,
    /// The sensitive values.
    pub secrets: Vec<(String, Vec<u8>)>,
    /// Why the values are not those that the component declares.
    pub breach: Option<String>,
    /// The lease.
    pub lease: Lease,
}

/// A configured credentials helper. Every call is a fresh instance.
pub trait Helper {
    /// The credentials object of a host.
    fn get(&self, host: &str) -> Observed<Option<Vec<u8>>>;

    /// Keeps a credentials object.
    fn store(&self, host: &str, object: &str) -> Observed<()>;

    /// Deletes the credentials of a host.
    fn forget(&self, host: &str) -> Observed<()>;

    /// The hosts that have credentials.
    fn hosts(&self) -> Observed<Vec<String>>;

    /// What lies in its storage.
    fn records(&self) -> Vec<(String, Vec<u8>)>;

    /// Puts a record into its storage, in place of the one before.
    fn set_record(&self, key: &str, value: &[u8]);
}

/// A syntax of configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// HCL.
    Hcl,
    /// HCL's JSON syntax.
    Json,
}

/// An answer, and what was logged before it came. Nothing is redacted.
#[derive(Clone, Debug)]
pub struct Observed<T> {
    /// The answer.
    pub result: Result<T, Failure>,
    /// The messages.
    pub log: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// The text, as the component or host gave it.
    pub message: String,
}

/// A kind of [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A configuration does not decode.
    Parsing,
    /// The component answered `invalid-configuration`.
    InvalidConfiguration,
    /// The component answered `invalid-metadata`, or the host refused the
    /// metadata before the component saw it.
    InvalidMetadata,
    /// The component answered `key-provider-failure`, or `failure`.
    Failure,
    /// The component answered `unsupported`.
    Unsupported,
    /// A limit was met.
    Limit,
    /// The component trapped, or broke the contract.
    Trap,
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Parsing => "a configuration error",
            Self::InvalidConfiguration => "invalid-configuration",
            Self::InvalidMetadata => "invalid-metadata",
            Self::Failure => "a failure",
            Self::Unsupported => "unsupported",
            Self::Limit => "an exceeded limit",
            Self::Trap => "a trap",
        })
    }
}

/// What a component says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// The type that users write.
    pub id: String,
    /// The version.
    pub version: String,
    /// The attributes.
    pub attributes: Vec<Attribute>,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Whether it takes keys.
    pub takes_keys: bool,
    /// Whether the value is a secret.
    pub sensitive: bool,
    /// The default.
    pub default: Option<Value>,
    /// What it is.
    pub description: String,
}

/// Keys, in the clear: they are made up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// For new data.
    pub encryption_key: Vec<u8>,
    /// For existing data.
    pub decryption_key: Option<Vec<u8>>,
}

/// A decoded block.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The plain attributes.
    pub attributes: serde_json::Map<String, Value>,
    /// The sensitive attributes.
    pub secrets: Vec<(String, Vec<u8>)>,
    /// The keys of other providers.
    pub keys: Vec<(String, Keys)>,
}

/// What a provider gave.
#[derive(Clone, Debug)]
pub struct Provided {
    /// The keys.
    pub keys: Keys,
    /// The metadata to store.
    pub metadata: Option<String>,
    /// Whether the provider keeps metadata.
    pub keeps_metadata: bool,
    /// Instructions, as the host counts them.
    pub fuel: u64,
    /// All memories and tables, in bytes.
    pub memory: u64,
}
