//! An ephemeral resource without a fault, for guests that each spoil one of its
//! answers.

use core::marker::PhantomData;

use keyhost_guest::crypto::{Encoding, encode, random_bytes, random_secret};
use keyhost_guest::ephemeral_resource::store::Bucket;
use keyhost_guest::ephemeral_resource::{
    Description, EphemeralResource, Error, Lease, Opened, now, open_bucket, output,
    sensitive_output,
};
use keyhost_guest::{Attribute, AttributeType, Config, Descriptor, Secret, attribute};

/// How long a lease lives without being renewed, in seconds.
pub const LIFETIME: u64 = 60;

/// How long it lives at most, in seconds.
pub const MAXIMUM_LIFETIME: u64 = 600;

/// A resource that keeps the end of each lease in its storage.
pub struct SampleEphemeral {
    /// What the configuration has.
    pub key: Secret,
    /// Where the leases are.
    pub bucket: Bucket,
}

impl SampleEphemeral {
    fn build(mut config: Config) -> Result<Self, Error> {
        let missing = || Error::InvalidConfiguration("key is missing".to_owned());
        let key = config.take_keys("key").ok_or_else(missing)?.encryption_key;
        if key.length() != 32 {
            return Err(Error::InvalidConfiguration("key is short".to_owned()));
        }
        Ok(Self {
            key,
            bucket: open_bucket()?,
        })
    }

    /// A new token, in hexadecimal.
    ///
    /// # Errors
    /// A met limit.
    pub fn token(&self) -> Result<Secret, Error> {
        Ok(encode(&random_secret(16)?, Encoding::Hex)?)
    }

    /// A lease of a new name.
    ///
    /// # Errors
    /// A storage that fails.
    pub fn begin(&self) -> Result<Lease, Error> {
        let id: String = random_bytes(8)?
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let end = now() + MAXIMUM_LIFETIME;
        self.bucket.set(&id, end.to_string().as_bytes())?;
        Ok(lease(&id, end))
    }

    /// The end of a lease that lives.
    ///
    /// # Errors
    /// A lease that does not.
    pub fn end_of(&self, private: &[u8]) -> Result<(String, u64), Error> {
        let id = id(private)?;
        let end = self.bucket.get(&id)?;
        let end = end.and_then(|end| String::from_utf8(end).ok()?.parse().ok());
        match end {
            Some(end) if now() < end => Ok((id, end)),
            _ => Err(Error::Failure("the lease has ended".to_owned())),
        }
    }
}

/// The name of a lease in private bytes that may be anybody's.
///
/// # Errors
/// Bytes that are no name.
pub fn id(private: &[u8]) -> Result<String, Error> {
    let id = String::from_utf8(private.to_vec()).unwrap_or_default();
    if id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(id);
    }
    Err(Error::Failure(
        "these are no notes of this resource".to_owned(),
    ))
}

/// What the host keeps of a lease that ends at a time.
pub fn lease(id: &str, end: u64) -> Lease {
    let next = now() + LIFETIME;
    Lease {
        private: id.as_bytes().to_vec(),
        renew_at: (next < end).then_some(next),
    }
}

/// What a guest opens.
///
/// # Errors
/// None.
pub fn opened(id: &str, token: Secret, lease: Lease) -> Result<Opened, Error> {
    Ok(Opened {
        values: format!("{{\"id\":\"{id}\"}}"),
        secrets: vec![("token".to_owned(), token)],
        lease,
    })
}

/// The sample, with what a guest spoils of it.
pub trait FaultyEphemeral: 'static {
    /// As [`EphemeralResource::open`].
    ///
    /// # Errors
    /// As the sample.
    fn open(sample: &SampleEphemeral) -> Result<Opened, Error> {
        opened("lease", sample.token()?, sample.begin()?)
    }

    /// As [`EphemeralResource::renew`].
    ///
    /// # Errors
    /// As the sample.
    fn renew(sample: &SampleEphemeral, private: &[u8]) -> Result<Lease, Error> {
        let (id, end) = sample.end_of(private)?;
        Ok(lease(&id, end))
    }

    /// As [`EphemeralResource::close`].
    ///
    /// # Errors
    /// As the sample.
    fn close(sample: &SampleEphemeral, private: &[u8]) -> Result<(), Error> {
        Ok(sample.bucket.delete(&id(private)?)?)
    }
}

/// Makes a resource of the sample and a fault.
pub struct Spoiled<F>(SampleEphemeral, PhantomData<F>);

impl<F: FaultyEphemeral> EphemeralResource for Spoiled<F> {
    fn describe() -> Description {
        Description {
            descriptor: Descriptor {
                id: "sample_ephemeral".to_owned(),
                version: "1.0.0".to_owned(),
                attributes: vec![Attribute {
                    required: true,
                    ..attribute("key", AttributeType::Key, "The key.")
                }],
            },
            outputs: vec![
                output("id", AttributeType::String, "A name."),
                sensitive_output("token", "The token."),
            ],
        }
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self(SampleEphemeral::build(config)?, PhantomData))
    }

    fn open(&self) -> Result<Opened, Error> {
        F::open(&self.0)
    }

    fn renew(&self, private: Vec<u8>) -> Result<Lease, Error> {
        F::renew(&self.0, &private)
    }

    fn close(&self, private: Vec<u8>) -> Result<(), Error> {
        F::close(&self.0, &private)
    }
}

/// Exports the sample with a fault: the methods that the guest spoils.
#[macro_export]
macro_rules! faulty_ephemeral {
    ($($method:item)*) => {
        struct Faulty;

        impl $crate::sample_ephemeral::FaultyEphemeral for Faulty {
            $($method)*
        }

        ::keyhost_guest::export_ephemeral_resource!($crate::sample_ephemeral::Spoiled<Faulty>);
    };
}
