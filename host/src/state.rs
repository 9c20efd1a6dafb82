//! Opening and sealing states and plans as OpenTofu does: by a target's first
//! method, and for opening also by its fallbacks.

pub mod error;
pub mod inspection;

mod attempt;

use std::io;
use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::config::NamedMethod;
use crate::config::decode::KeySource;
use crate::config::method::Method;
use crate::crypto::aead;
use crate::envelope::{Envelope, EnvelopeError, Identity, Kind, Payload};
use crate::key_provider::KeyProviders;
use crate::key_provider::metadata::{Purpose, StoredMetadata};
use crate::secret::Secret;
use error::StateError;

/// What a file holds, to be worked on. What is inside is taken over and not
/// copied.
#[derive(Debug)]
pub enum Contents {
    /// An encrypted state or plan.
    Encrypted(Envelope),
    /// A state or plan in the clear.
    Plain(Kind, Secret),
}

impl Contents {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// [`EnvelopeError`].
    pub fn of(mut bytes: Zeroizing<Vec<u8>>) -> Result<Self, EnvelopeError> {
        Ok(match Payload::parse(&bytes)? {
            Payload::Encrypted(envelope) => Self::Encrypted(envelope),
            Payload::Plain(kind) => Self::Plain(kind, Secret::new(std::mem::take(&mut *bytes))),
        })
    }

    /// What it is or, as far as its envelope tells, what is inside.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Encrypted(envelope) => envelope.kind(),
            Self::Plain(kind, _) => *kind,
        }
    }
}

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
    methods: Vec<NamedMethod>,
    providers: &'a KeyProviders<'a>,
    /// Whether what is sealed here was seen to open again.
    proven: Mutex<bool>,
}

/// A key for one file alone, and the metadata that brings it back.
struct FreshKey {
    key: Secret,
    metadata: StoredMetadata,
}

impl<'a> StateEncryption<'a> {
    /// The methods of a target: the first one seals, all of them open.
    pub fn new(methods: Vec<NamedMethod>, providers: &'a KeyProviders<'a>) -> Self {
        Self {
            methods,
            providers,
            proven: Mutex::new(false),
        }
    }

    /// The method that seals: `method.TYPE.NAME`.
    pub fn sealing_method(&self) -> Option<&NamedMethod> {
        self.methods.first()
    }

    /// Opens a state or plan.
    ///
    /// # Errors
    /// [`StateError`]; nothing is returned that was not authenticated.
    pub fn open(&self, contents: Contents, kind: Kind) -> Result<Opened, StateError> {
        self.open_and_keep(contents, kind, &mut None)
    }

    /// Seals a state or plan in the clear, under a key of its own.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn seal(&self, plaintext: Secret, kind: Kind) -> Result<Sealed, StateError> {
        self.seal_with(plaintext, kind, None)
    }

    /// Opens a state or plan and seals it again, under a new key of its own.
    /// Where the method that seals also opens, its providers are asked once for
    /// both keys.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn rotate(&self, contents: Contents, kind: Kind) -> Result<Rotated, StateError> {
        let mut fresh = None;
        let opened = self.open_and_keep(contents, kind, &mut fresh)?;
        Ok(Rotated {
            sealed: self.seal_with(opened.plaintext, kind, fresh)?,
            opened_by: opened.method,
            by_fallback: opened.by_fallback,
        })
    }

    /// Opens, and keeps the new key that the first method's providers gave.
    fn open_and_keep(
        &self,
        contents: Contents,
        kind: Kind,
        fresh: &mut Option<FreshKey>,
    ) -> Result<Opened, StateError> {
        let mut envelope = match contents {
            Contents::Encrypted(envelope) => envelope,
            Contents::Plain(actual, plaintext) => return self.pass(plaintext, actual, kind),
        };
        let mut data = std::mem::take(&mut envelope.encrypted_data);
        let mut attempts = Vec::new();
        for (position, method) in self.methods.iter().enumerate() {
            let (output, result) =
                attempt::open(&method.method, &envelope.metadata, &mut data, self.providers);
            if let (0, Some(output)) = (position, output) {
                *fresh = Some(FreshKey {
                    key: output.keys.encryption_key,
                    metadata: output.metadata,
                });
            }
            match result {
                Ok(()) => {
                    let plaintext = Secret::new(data);
                    envelope.verify(plaintext.expose(), kind)?;
                    return Ok(Opened {
                        plaintext,
                        method: method.address.clone(),
                        by_fallback: position > 0,
                    });
                }
                Err(error) => attempts.push((method.address.clone(), error)),
            }
        }
        Err(StateError::Closed {
            attempts,
            metadata_keys: envelope.metadata.into_keys().collect(),
        })
    }

    /// Lets a state or plan in the clear through, where a method allows that.
    fn pass(&self, plaintext: Secret, actual: Kind, kind: Kind) -> Result<Opened, StateError> {
        if actual != kind {
            return Err(EnvelopeError::Content(kind).into());
        }
        let position = self
            .methods
            .iter()
            .position(|method| matches!(method.method, Method::Unencrypted))
            .ok_or(StateError::Plain)?;
        Ok(Opened {
            plaintext,
            method: self.methods[position].address.clone(),
            by_fallback: position > 0,
        })
    }

    fn seal_with(
        &self,
        plaintext: Secret,
        kind: Kind,
        fresh: Option<FreshKey>,
    ) -> Result<Sealed, StateError> {
        let identity = match kind {
            Kind::State => Some(Identity::of_state(plaintext.expose())?),
            Kind::Plan if crate::envelope::is_plan(plaintext.expose()) => None,
            Kind::Plan => return Err(EnvelopeError::Content(kind).into()),
        };
        let method = self.methods.first().ok_or(StateError::NoMethod)?;
        let Method::AesGcm { keys, aad } = &method.method else {
            return Ok(Sealed::Unencrypted(plaintext));
        };
        let fresh = match fresh {
            Some(fresh) => fresh,
            None => self.fresh(&method.address, keys)?,
        };
        self.prove(&method.address, keys, &fresh)?;
        let sealed = aead::seal_in_place(&fresh.key, plaintext.into_bytes(), aad);
        Ok(Sealed::Envelope(Envelope {
            identity,
            metadata: fresh.metadata,
            encrypted_data: sealed.map_err(|cause| StateError::Seal {
                method: method.address.clone(),
                cause,
            })?,
        }))
    }

    fn fresh(&self, method: &str, keys: &KeySource) -> Result<FreshKey, StateError> {
        match keys {
            KeySource::Literal(pair) => Ok(FreshKey {
                key: pair.encryption_key.clone(),
                metadata: StoredMetadata::new(),
            }),
            KeySource::Provider(address) => {
                let output = self.providers.provide(address, &Purpose::Encrypt);
                let output = output.map_err(|cause| StateError::Keys {
                    method: method.to_owned(),
                    cause: Box::new(cause),
                })?;
                Ok(FreshKey {
                    key: output.keys.encryption_key,
                    metadata: output.metadata,
                })
            }
        }
    }

    /// Sees once that a key comes back by its metadata, before anything sealed
    /// is given away: what no key opens is lost.
    fn prove(&self, method: &str, keys: &KeySource, fresh: &FreshKey) -> Result<(), StateError> {
        let mut proven = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        if *proven {
            return Ok(());
        }
        let unproven = || StateError::Unproven {
            method: method.to_owned(),
        };
        let back = match keys {
            KeySource::Literal(pair) => pair.decryption_key.clone(),
            KeySource::Provider(address) => {
                let purpose = Purpose::Decrypt(fresh.metadata.clone());
                let output = self.providers.provide(address, &purpose);
                output.map_err(|_| unproven())?.keys.decryption_key
            }
        };
        if back.as_ref() != Some(&fresh.key) {
            return Err(unproven());
        }
        *proven = true;
        Ok(())
    }
}
