//! What a program gives to be served: its ephemeral resources.

use std::time::SystemTime;

use serde_json::{Map, Value};

use crate::diagnostic::Diagnostic;

/// Ephemeral resources: values that exist for the length of one run of terraform,
/// and never in its state or plan.
///
/// Type names are without the provider's prefix. Configurations hold the attributes
/// that are set and known: neither nulls nor unknown values. All calls may block,
/// run on threads of their own and may run at the same time, except that two calls
/// about one lease never do while [`close_time_limit`](crate::Options) allows.
/// A panic is reported as an error of the call, without its text: that goes to
/// standard error, which terraform writes to its own log, if it keeps one.
///
/// Nothing here may write to standard output: it belongs to the protocol.
pub trait EphemeralResources: Send + Sync + 'static {
    /// Every type, with its schema. Asked once; must not change during a run.
    fn types(&self) -> Vec<ResourceType>;

    /// What is wrong with a configuration. Called at `terraform validate`, and
    /// again before each [`open`](Self::open).
    fn validate(&self, type_name: &str, config: &Map<String, Value>) -> Vec<Diagnostic>;

    /// Makes the value and starts its lease.
    ///
    /// # Errors
    ///
    /// When there is no value, and no lease: nothing will be closed.
    fn open(&self, type_name: &str, config: &Map<String, Value>)
    -> Result<Opened, Vec<Diagnostic>>;

    /// Prolongs a lease, given its newest private bytes.
    ///
    /// # Errors
    ///
    /// When it is not prolonged. It is not tried again: the client has no way to.
    /// The errors become warnings of the close, since the client drops them here.
    fn renew(&self, type_name: &str, private: &[u8]) -> Result<Lease, Vec<Diagnostic>>;

    /// Ends a lease, given its newest private bytes, perhaps in another process than
    /// the one that opened it. Called once per lease, whatever becomes of it.
    ///
    /// # Errors
    ///
    /// When the lease may still be alive.
    fn close(&self, type_name: &str, private: &[u8]) -> Result<(), Vec<Diagnostic>>;
}

/// A type of ephemeral resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceType {
    /// Its name, without the provider's prefix, in lower case: `session`.
    pub name: String,
    /// What it is, in plain text.
    pub description: String,
    /// Its arguments and results.
    pub attributes: Vec<Attribute>,
}

/// An argument or a result of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name, in lower case.
    pub name: String,
    /// What values it takes.
    pub kind: AttributeType,
    /// The user has to set it; excludes the next two.
    pub required: bool,
    /// The user may set it.
    pub optional: bool,
    /// [`EphemeralResources::open`] gives it, unless the user has set it.
    pub computed: bool,
    /// Hidden in what terraform prints.
    pub sensitive: bool,
    /// What it is, in plain text.
    pub description: String,
}

/// What values an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// A JSON string.
    String,
    /// A JSON number.
    Number,
    /// A JSON boolean.
    Bool,
    /// A JSON array of strings.
    ListOfString,
    /// A JSON object of strings.
    MapOfString,
}

/// A value that was made. Secret: it cannot be printed.
pub struct Opened {
    /// The computed attributes, secret ones included. One that is left out is null.
    pub values: Map<String, Value>,
    /// How long it lives.
    pub lease: Lease,
}

/// A lease on a value. Secret: it cannot be printed.
pub struct Lease {
    /// What renewing and closing need, in a fresh process too. The client keeps it
    /// in memory only.
    pub private: Vec<u8>,
    /// When to renew; never, if `None`. A time that has passed counts as one second
    /// from now: the client would renew without a pause.
    pub renew_at: Option<SystemTime>,
}
