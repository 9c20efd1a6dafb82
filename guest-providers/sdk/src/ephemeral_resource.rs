//! What an ephemeral resource is written with.

#[doc(hidden)]
pub mod __bindings {
    #![allow(missing_docs, unused_qualifications)]

    wit_bindgen::generate!({
        path: "../../wit",
        world: "ephemeral-resource-plugin",
        pub_export_macro: true,
        default_bindings_module: "keyhost_guest::ephemeral_resource::__bindings",
        with: {
            "keyhost:plugin/secrets@0.1.0": crate::__bindings::keyhost::plugin::secrets,
            "keyhost:plugin/crypto@0.1.0": crate::__bindings::keyhost::plugin::crypto,
            "keyhost:plugin/config@0.1.0": crate::__bindings::keyhost::plugin::config,
            "keyhost:plugin/log@0.1.0": crate::__bindings::keyhost::plugin::log,
            "keyhost:plugin/clock@0.1.0": generate,
            "wasi:keyvalue/store@0.2.0-draft": crate::credentials_helper::store,
        },
    });
}

use __bindings::exports::keyhost::plugin::ephemeral_resource as exported;

pub use crate::credentials_helper::store;
pub use __bindings::keyhost::plugin::clock::now;
pub use exported::{Description, Error, Lease, Opened, Output};

use serde::Serialize;

use crate::crypto::CryptoError;
use crate::{AccessError, AttributeType, Config, InvalidConfiguration, Secret, access_text};

/// An ephemeral resource: the contract's `describe`, `build` and `ephemeral`.
pub trait EphemeralResource: Sized + 'static {
    /// Id, version, attributes and outputs.
    fn describe() -> Description;

    /// Checks a configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfiguration`] when the user's values are wrong.
    fn build(config: Config) -> Result<Self, Error>;

    /// Makes the values and begins a lease.
    ///
    /// # Errors
    /// [`Error::Failure`].
    fn open(&self) -> Result<Opened, Error>;

    /// Extends a lease. `private` can be anything.
    ///
    /// # Errors
    /// [`Error::Failure`], also after the lease's end.
    fn renew(&self, private: Vec<u8>) -> Result<Lease, Error>;

    /// Ends a lease; of one that has ended, nothing. `private` can be anything.
    ///
    /// # Errors
    /// [`Error::Failure`] where it is not certain that it ended.
    fn close(&self, private: Vec<u8>) -> Result<(), Error>;
}

/// Adapts an [`EphemeralResource`] to the generated traits.
#[doc(hidden)]
pub struct Adapter<R>(R);

impl<R: EphemeralResource> exported::Guest for Adapter<R> {
    type Ephemeral = Adapter<R>;

    fn describe() -> Description {
        crate::log_panics();
        R::describe()
    }

    fn build(config: Config) -> Result<exported::Ephemeral, Error> {
        crate::log_panics();
        Ok(exported::Ephemeral::new(Adapter(R::build(config)?)))
    }
}

impl<R: EphemeralResource> exported::GuestEphemeral for Adapter<R> {
    fn open(&self) -> Result<Opened, Error> {
        self.0.open()
    }

    fn renew(&self, private: Vec<u8>) -> Result<Lease, Error> {
        self.0.renew(private)
    }

    fn close(&self, private: Vec<u8>) -> Result<(), Error> {
        self.0.close(private)
    }
}

/// Exports a type that implements [`EphemeralResource`] as this component's
/// ephemeral resource.
#[macro_export]
macro_rules! export_ephemeral_resource {
    ($resource:ty) => {
        type ExportedEphemeralResource = $crate::ephemeral_resource::Adapter<$resource>;
        $crate::ephemeral_resource::__bindings::export!(
            ExportedEphemeralResource with_types_in $crate::ephemeral_resource::__bindings
        );
    };
}

/// A value that is not sensitive.
pub fn output(name: &str, kind: AttributeType, description: &str) -> Output {
    Output {
        name: name.to_owned(),
        kind,
        sensitive: false,
        description: description.to_owned(),
    }
}

/// A text that leaves the component as a secret handle.
pub fn sensitive_output(name: &str, description: &str) -> Output {
    Output {
        sensitive: true,
        ..output(name, AttributeType::String, description)
    }
}

/// The component's own bucket, for components that are granted `storage`.
///
/// # Errors
/// [`Error::Failure`] where it is not granted.
pub fn open_bucket() -> Result<store::Bucket, Error> {
    Ok(store::open("default")?)
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Failure(crate::credentials_helper::store_text(error))
    }
}

impl Opened {
    /// The outputs that are not sensitive, of a type with serde's `Serialize`
    /// whose JSON is an object; the sensitive ones by name; and the lease.
    ///
    /// # Errors
    /// [`Error::Failure`] where the values have no JSON.
    pub fn new<'a>(
        values: &impl Serialize,
        secrets: impl IntoIterator<Item = (&'a str, Secret)>,
        lease: Lease,
    ) -> Result<Self, Error> {
        let secrets = secrets.into_iter();
        Ok(Self {
            values: serde_json::to_string(values).map_err(Error::failure)?,
            secrets: secrets
                .map(|(name, secret)| (name.to_owned(), secret))
                .collect(),
            lease,
        })
    }
}

impl Lease {
    /// A value that does not end: nothing to renew.
    pub fn endless() -> Self {
        Self {
            private: Vec::new(),
            renew_at: None,
        }
    }
}

impl Error {
    /// [`Error::InvalidConfiguration`] from any message.
    pub fn invalid_configuration(message: impl ToString) -> Self {
        Self::InvalidConfiguration(message.to_string())
    }

    /// [`Error::Failure`] from any message.
    pub fn failure(message: impl ToString) -> Self {
        Self::Failure(message.to_string())
    }
}

impl From<InvalidConfiguration> for Error {
    fn from(InvalidConfiguration(text): InvalidConfiguration) -> Self {
        Self::InvalidConfiguration(text)
    }
}

impl From<AccessError> for Error {
    fn from(error: AccessError) -> Self {
        Self::Failure(access_text(error))
    }
}

impl From<CryptoError> for Error {
    fn from(error: CryptoError) -> Self {
        Self::Failure(crate::crypto_text(error))
    }
}
