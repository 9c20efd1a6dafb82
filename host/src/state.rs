//! Opening and sealing states and plans as OpenTofu does: by a target's first
//! method, and for opening also by its fallbacks.

pub mod error;
pub mod inspection;

mod attempt;
mod keys;
mod seal;

use std::io;
use std::sync::Mutex;

use crate::config::method::Method;
use crate::config::target::Target;
use crate::envelope::{Contents, Envelope, EnvelopeError, Identity, Kind, is_plan};
use crate::key_provider::KeyProviders;
use crate::secret::Secret;
use attempt::Attempt;
use error::StateError;
use keys::FreshKey;
use seal::Seal;

/// A state or plan in the clear.
#[derive(Debug)]
pub struct Opened {
    /// Its very bytes.
    pub plaintext: Secret,
    /// The method that opened it: `method.TYPE.NAME`.
    pub method: String,
    /// Whether that was a fallback.
    pub by_fallback: bool,
}

/// What stands in a state's or plan's place.
#[derive(Debug)]
pub enum Sealed {
    /// Its envelope.
    Envelope(Envelope),
    /// Itself, by a method that does not encrypt.
    Unencrypted(Secret),
}

impl Sealed {
    /// Writes the file's bytes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: &mut impl io::Write) -> io::Result<()> {
        match self {
            Self::Envelope(envelope) => envelope.write(writer),
            Self::Unencrypted(plaintext) => writer.write_all(plaintext.expose()),
        }
    }
}

/// A state or plan under a new key.
#[derive(Debug)]
pub struct Rotated {
    /// What stands in its place now.
    pub sealed: Sealed,
    /// The method that opened it: `method.TYPE.NAME`.
    pub opened_by: String,
    /// Whether that was a fallback.
    pub by_fallback: bool,
}

/// What one target of the configuration does with states or plans; for any
/// number of threads.
pub struct StateEncryption<'a> {
    target: Target,
    providers: &'a KeyProviders<'a>,
    /// Whether what is sealed here was seen to open again.
    proven: Mutex<bool>,
}

impl<'a> StateEncryption<'a> {
    /// Works by a target's methods: the first one seals, all of them open.
    pub fn new(target: Target, providers: &'a KeyProviders<'a>) -> Self {
        Self {
            target,
            providers,
            proven: Mutex::new(false),
        }
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Opens a state or plan.
    ///
    /// # Errors
    /// [`StateError`]; nothing is returned that was not authenticated.
    pub fn open(&self, contents: Contents, kind: Kind) -> Result<Opened, StateError> {
        Ok(self.open_and_renew(contents, kind, false)?.0)
    }

    /// Seals a state or plan in the clear, under a key of its own.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn seal(&self, plaintext: Secret, kind: Kind) -> Result<Sealed, StateError> {
        self.seal_under(plaintext, kind, None)
    }

    /// Opens a state or plan and seals it again, under a new key of its own.
    /// Where the method that seals also opens, its providers are asked once for
    /// both keys.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn rotate(&self, contents: Contents, kind: Kind) -> Result<Rotated, StateError> {
        let (opened, fresh) = self.open_and_renew(contents, kind, true)?;
        Ok(Rotated {
            sealed: self.seal_under(opened.plaintext, kind, fresh)?,
            opened_by: opened.method,
            by_fallback: opened.by_fallback,
        })
    }

    /// Opens. With `renew` it also returns the new key that the providers of the
    /// method that seals gave along with the old one.
    fn open_and_renew(
        &self,
        contents: Contents,
        kind: Kind,
        renew: bool,
    ) -> Result<(Opened, Option<FreshKey>), StateError> {
        let mut envelope = match contents {
            Contents::Encrypted(envelope) => envelope,
            Contents::Plain(actual, plaintext) => {
                return Ok((self.pass(plaintext, actual, kind)?, None));
            }
        };
        let mut data = std::mem::take(&mut envelope.encrypted_data);
        let mut renewed = None;
        let mut failed = Vec::new();
        for (position, method) in self.target.methods.iter().enumerate() {
            let mut attempt = Attempt {
                metadata: &envelope.metadata,
                providers: self.providers,
                renew: renew && position == 0,
                fresh: None,
            };
            let opened = attempt.open(&method.method, &mut data);
            renewed = renewed.or(attempt.fresh);
            match opened {
                Ok(plaintext) => {
                    if let Err(error) = envelope.verify(plaintext.expose(), kind) {
                        // A program may have decrypted what is not its own: it
                        // need not authenticate.
                        if matches!(method.method, Method::External(_)) {
                            failed.push((method.address.clone(), error.into()));
                            continue;
                        }
                        return Err(error.into());
                    }
                    let opened = Opened {
                        plaintext,
                        method: method.address.clone(),
                        by_fallback: position > 0,
                    };
                    return Ok((opened, renewed));
                }
                Err(error) => failed.push((method.address.clone(), error)),
            }
        }
        Err(StateError::Closed {
            attempts: failed,
            metadata_keys: envelope.metadata.into_keys().collect(),
        })
    }

    /// Lets a state or plan in the clear through, where a method allows that.
    fn pass(&self, plaintext: Secret, actual: Kind, kind: Kind) -> Result<Opened, StateError> {
        if actual != kind {
            return Err(EnvelopeError::Content(kind).into());
        }
        let methods = &self.target.methods;
        let position = methods
            .iter()
            .position(|method| matches!(method.method, Method::Unencrypted))
            .ok_or(StateError::Plain)?;
        Ok(Opened {
            plaintext,
            method: methods[position].address.clone(),
            by_fallback: position > 0,
        })
    }

    fn seal_under(
        &self,
        plaintext: Secret,
        kind: Kind,
        fresh: Option<FreshKey>,
    ) -> Result<Sealed, StateError> {
        let identity = match kind {
            Kind::State => Some(Identity::of_state(plaintext.expose())?),
            Kind::Plan if is_plan(plaintext.expose()) => None,
            Kind::Plan => return Err(EnvelopeError::Content(kind).into()),
        };
        let method = self.target.methods.first().ok_or(StateError::NoMethod)?;
        let seal = Seal {
            method: &method.address,
            providers: self.providers,
            proven: &self.proven,
        };
        let (metadata, encrypted_data) = match &method.method {
            Method::Unencrypted => return Ok(Sealed::Unencrypted(plaintext)),
            Method::AesGcm { keys, aad } => seal.aes_gcm(plaintext, keys, aad, fresh)?,
            Method::External(external) => seal.external(&plaintext, external, fresh)?,
        };
        Ok(Sealed::Envelope(Envelope {
            identity,
            metadata,
            encrypted_data,
        }))
    }
}
