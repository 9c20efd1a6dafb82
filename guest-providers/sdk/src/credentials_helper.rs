//! What a credentials helper is written with.

#[doc(hidden)]
pub mod __bindings {
    #![allow(missing_docs, unused_qualifications)]

    wit_bindgen::generate!({
        path: "../../wit",
        world: "credentials-helper-plugin",
        pub_export_macro: true,
        default_bindings_module: "keyhost_guest::credentials_helper::__bindings",
        with: {
            "keyhost:plugin/secrets@0.1.0": crate::__bindings::keyhost::plugin::secrets,
            "keyhost:plugin/crypto@0.1.0": crate::__bindings::keyhost::plugin::crypto,
            "keyhost:plugin/config@0.1.0": crate::__bindings::keyhost::plugin::config,
            "keyhost:plugin/log@0.1.0": crate::__bindings::keyhost::plugin::log,
            "keyhost:plugin/credentials@0.1.0": generate,
            "wasi:keyvalue/store@0.2.0-draft": generate,
        },
    });
}

use __bindings::exports::keyhost::plugin::credentials_helper as exported;
use __bindings::keyhost::plugin::credentials as imported;

pub use __bindings::wasi::keyvalue::store;
pub use exported::Error;
pub use imported::{Credentials, CredentialsError, from_token};

use crate::crypto::CryptoError;
use crate::{AccessError, Config, Descriptor, InvalidConfiguration, Secret, access_text};

/// A credentials helper: the contract's `describe`, `build` and `helper`. Hosts
/// come in comparison form.
pub trait CredentialsHelper: Sized + 'static {
    /// Id, version and attributes.
    fn describe() -> Descriptor;

    /// Checks a configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfiguration`] when the user's values are wrong.
    fn build(config: Config) -> Result<Self, Error>;

    /// The credentials object of a host, as it was stored.
    ///
    /// # Errors
    /// [`Error::Failure`], never for a host without credentials.
    fn get(&self, host: String) -> Result<Option<Secret>, Error>;

    /// Keeps a credentials object, in place of the one before.
    ///
    /// # Errors
    /// [`Error::Unsupported`] from a helper that does not store.
    fn store(&self, host: String, credentials: Credentials) -> Result<(), Error>;

    /// Deletes the credentials of a host, where there are any.
    ///
    /// # Errors
    /// [`Error::Unsupported`] from a helper that does not store.
    fn forget(&self, host: String) -> Result<(), Error>;

    /// The hosts that have credentials, for people.
    ///
    /// # Errors
    /// [`Error::Failure`].
    fn hosts(&self) -> Result<Vec<String>, Error>;
}

/// Adapts a [`CredentialsHelper`] to the generated traits.
#[doc(hidden)]
pub struct Adapter<H>(H);

impl<H: CredentialsHelper> exported::Guest for Adapter<H> {
    type Helper = Adapter<H>;

    fn describe() -> Descriptor {
        crate::log_panics();
        H::describe()
    }

    fn build(config: Config) -> Result<exported::Helper, Error> {
        crate::log_panics();
        Ok(exported::Helper::new(Adapter(H::build(config)?)))
    }
}

impl<H: CredentialsHelper> exported::GuestHelper for Adapter<H> {
    fn get(&self, host: String) -> Result<Option<Secret>, Error> {
        self.0.get(host)
    }

    fn store(&self, host: String, credentials: Credentials) -> Result<(), Error> {
        self.0.store(host, credentials)
    }

    fn forget(&self, host: String) -> Result<(), Error> {
        self.0.forget(host)
    }

    fn hosts(&self) -> Result<Vec<String>, Error> {
        self.0.hosts()
    }
}

/// Exports a type that implements [`CredentialsHelper`] as this component's
/// credentials helper.
#[macro_export]
macro_rules! export_credentials_helper {
    ($helper:ty) => {
        type ExportedCredentialsHelper = $crate::credentials_helper::Adapter<$helper>;
        $crate::credentials_helper::__bindings::export!(
            ExportedCredentialsHelper with_types_in $crate::credentials_helper::__bindings
        );
    };
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
        Self::Failure(store_text(error))
    }
}

pub(crate) fn store_text(error: store::Error) -> String {
    match error {
        store::Error::NoSuchStore => "the host has no such store".to_owned(),
        store::Error::AccessDenied => "storage is not granted".to_owned(),
        store::Error::Other(text) => format!("the storage failed: {text}"),
    }
}

impl Error {
    /// [`Error::InvalidConfiguration`] from any message.
    pub fn invalid_configuration(message: impl ToString) -> Self {
        Self::InvalidConfiguration(message.to_string())
    }

    /// [`Error::Unsupported`] from any message.
    pub fn unsupported(message: impl ToString) -> Self {
        Self::Unsupported(message.to_string())
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

impl From<CredentialsError> for Error {
    fn from(error: CredentialsError) -> Self {
        Self::Failure(match error {
            CredentialsError::InvalidToken(text) | CredentialsError::LimitExceeded(text) => text,
        })
    }
}
