//! A credentials helper without a fault, for guests that each spoil one of its
//! answers.

use core::marker::PhantomData;

use keyhost_guest::credentials_helper::store::Bucket;
use keyhost_guest::credentials_helper::{Credentials, CredentialsHelper, Error, open_bucket};
use keyhost_guest::crypto::{CryptoError, open, seal};
use keyhost_guest::{Attribute, AttributeType, Config, Descriptor, Secret, attribute};

/// A helper that keeps sealed records.
pub struct SampleHelper {
    /// What records are sealed with.
    pub key: Secret,
    /// Where they are.
    pub bucket: Bucket,
}

impl SampleHelper {
    fn build(mut config: Config) -> Result<Self, Error> {
        let missing = || Error::InvalidConfiguration("key is missing".to_owned());
        let key = config.take_keys("key").ok_or_else(missing)?.encryption_key;
        if key.length() != 32 {
            return Err(Error::InvalidConfiguration(
                "key is no AES-256 key".to_owned(),
            ));
        }
        Ok(Self {
            key,
            bucket: open_bucket()?,
        })
    }

    /// What is kept under a key of the bucket, sealed for `data`.
    ///
    /// # Errors
    /// A changed record, or a storage that fails.
    pub fn get_as(&self, key: &str, data: &[u8]) -> Result<Option<Secret>, Error> {
        let Some(sealed) = self.bucket.get(key)? else {
            return Ok(None);
        };
        match open(&self.key, &sealed, data) {
            Ok(object) => Ok(Some(object)),
            Err(CryptoError::AuthenticationFailed) => {
                Err(Error::Failure("the record was changed".to_owned()))
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Keeps an object under a key of the bucket, sealed for `data`.
    ///
    /// # Errors
    /// A storage that fails.
    pub fn store_as(&self, key: &str, data: &[u8], object: &Secret) -> Result<(), Error> {
        let sealed = seal(&self.key, object, data)?;
        Ok(self.bucket.set(key, &sealed)?)
    }
}

/// The sample, with what a guest spoils of it.
pub trait FaultyHelper: 'static {
    /// The guest's name.
    const ID: &'static str;

    /// As [`CredentialsHelper::get`].
    ///
    /// # Errors
    /// As the sample.
    fn get(sample: &SampleHelper, host: &str) -> Result<Option<Secret>, Error> {
        sample.get_as(host, host.as_bytes())
    }

    /// As [`CredentialsHelper::store`].
    ///
    /// # Errors
    /// As the sample.
    fn store(sample: &SampleHelper, host: &str, credentials: &Credentials) -> Result<(), Error> {
        sample.store_as(host, host.as_bytes(), &credentials.object)
    }

    /// As [`CredentialsHelper::forget`].
    ///
    /// # Errors
    /// As the sample.
    fn forget(sample: &SampleHelper, host: &str) -> Result<(), Error> {
        Ok(sample.bucket.delete(host)?)
    }

    /// As [`CredentialsHelper::hosts`].
    ///
    /// # Errors
    /// As the sample.
    fn hosts(sample: &SampleHelper) -> Result<Vec<String>, Error> {
        Ok(sample.bucket.list_keys(None)?.keys)
    }
}

/// Makes a helper of the sample and a fault.
pub struct Spoiled<F>(SampleHelper, PhantomData<F>);

impl<F: FaultyHelper> CredentialsHelper for Spoiled<F> {
    fn describe() -> Descriptor {
        Descriptor {
            id: F::ID.to_owned(),
            version: "1.0.0".to_owned(),
            attributes: vec![Attribute {
                required: true,
                ..attribute("key", AttributeType::Key, "The key.")
            }],
        }
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self(SampleHelper::build(config)?, PhantomData))
    }

    fn get(&self, host: String) -> Result<Option<Secret>, Error> {
        F::get(&self.0, &host)
    }

    fn store(&self, host: String, credentials: Credentials) -> Result<(), Error> {
        F::store(&self.0, &host, &credentials)
    }

    fn forget(&self, host: String) -> Result<(), Error> {
        F::forget(&self.0, &host)
    }

    fn hosts(&self) -> Result<Vec<String>, Error> {
        F::hosts(&self.0)
    }
}

/// Exports the sample with a fault: the methods that the guest spoils.
#[macro_export]
macro_rules! faulty_helper {
    ($($method:item)*) => {
        struct Faulty;

        impl $crate::sample_helper::FaultyHelper for Faulty {
            const ID: &'static str = "sample_helper";
            $($method)*
        }

        ::keyhost_guest::export_credentials_helper!($crate::sample_helper::Spoiled<Faulty>);
    };
}
