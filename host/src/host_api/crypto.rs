//! The interface `crypto`.

use wasmtime::component::Resource;
use zeroize::Zeroizing;

use crate::bindings::imports::keyhost::plugin::crypto::{
    CryptoError, Encoding, HashFunction, Host, Pbkdf2Job,
};
use crate::crypto::{self, aead, encoding, mac, pbkdf2, random};
use crate::limits::{Limit, LimitExceeded};
use crate::sandbox::state::State;
use crate::secret::Secret;

/// What the contract's AES-256-GCM takes, in bytes.
const SEAL_KEY_LENGTH: usize = 32;

/// The fewest bytes that cannot be guessed, for secrets of which a component
/// chooses the length.
const LEAST_STRENGTH: usize = 16;

type Answer<T> = wasmtime::Result<Result<T, CryptoError>>;

impl Host for State {
    fn pbkdf2(&mut self, jobs: Vec<Pbkdf2Job>) -> Answer<Vec<Resource<Secret>>> {
        self.count_call()?;
        let jobs = jobs
            .into_iter()
            .map(|job| self.pbkdf2_job(job))
            .collect::<wasmtime::Result<Vec<_>>>()?;
        if let Err(error) = self.admit_pbkdf2(&jobs) {
            return Ok(Err(error));
        }
        let keys = if self.defers_derivation {
            jobs.iter().cloned().map(deferred).collect()
        } else {
            self.meter.outside_guest_time(|| pbkdf2::derive(&jobs))
        };
        let mut handles = Vec::with_capacity(keys.len());
        for (key, job) in keys.into_iter().zip(&jobs) {
            match self.answer(Ok(derived(key, &job.password)))? {
                Ok(handle) => handles.push(handle),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(handles))
    }

    fn hkdf(
        &mut self,
        key: Resource<Secret>,
        salt: Vec<u8>,
        info: Vec<u8>,
        length: u32,
        hash: HashFunction,
    ) -> Answer<Resource<Secret>> {
        self.count_call()?;
        if let Err(exceeded) = self.meter.check(Limit::SecretBytes, length.into()) {
            return Ok(Err(exceeded.into()));
        }
        let key = self.secret(&key)?;
        let subkey = mac::hkdf(&key, &salt, &info, length as usize, hash.into());
        self.answer(subkey.map(|subkey| derived(subkey, &key)))
    }

    fn hmac(
        &mut self,
        key: Resource<Secret>,
        message: Vec<u8>,
        hash: HashFunction,
    ) -> Answer<Vec<u8>> {
        self.count_call()?;
        let key = self.secret(&key)?;
        Ok(mac::hmac(&key, &message, hash.into()).map_err(CryptoError::from))
    }

    fn hmac_secret(
        &mut self,
        key: Resource<Secret>,
        message: Vec<u8>,
        hash: HashFunction,
    ) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let key = self.secret(&key)?;
        let digest = mac::hmac(&key, &message, hash.into());
        self.answer(digest.map(|digest| derived(Secret::new(digest), &key)))
    }

    fn random_bytes(&mut self, length: u32) -> Answer<Vec<u8>> {
        self.count_call()?;
        Ok(self.random(length))
    }

    fn random_secret(&mut self, length: u32) -> Answer<Resource<Secret>> {
        self.count_call()?;
        match self.random(length) {
            Ok(bytes) if bytes.len() < LEAST_STRENGTH => {
                self.answer(Ok(Secret::new(bytes).influenced()))
            }
            Ok(bytes) => self.answer(Ok(Secret::new(bytes))),
            Err(error) => Ok(Err(error)),
        }
    }

    fn xor(&mut self, a: Resource<Secret>, b: Resource<Secret>) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let (a, b) = (self.secret(&a)?, self.secret(&b)?);
        self.answer(encoding::xor(&a, &b).map(Secret::influenced))
    }

    fn equal(&mut self, a: Resource<Secret>, b: Resource<Secret>) -> wasmtime::Result<bool> {
        self.count_call()?;
        Ok(self.secret(&a)? == self.secret(&b)?)
    }

    fn decode_hex(&mut self, text: Resource<Secret>) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let text = self.secret(&text)?;
        self.answer(untouched(&text).and_then(|()| encoding::decode_hex(&text)))
    }

    fn decode_base64(&mut self, text: Resource<Secret>) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let text = self.secret(&text)?;
        self.answer(untouched(&text).and_then(|()| encoding::decode_base64(&text)))
    }

    fn encode(&mut self, bytes: Resource<Secret>, encoding: Encoding) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let bytes = self.secret(&bytes)?;
        let encoding = match encoding {
            Encoding::Hex => encoding::Encoding::Hex,
            Encoding::Base64 => encoding::Encoding::Base64,
            Encoding::Base64Url => encoding::Encoding::Base64Url,
        };
        let length = encoding.length(bytes.len()) as u64;
        if let Err(exceeded) = self.meter.check(Limit::SecretBytes, length) {
            return Ok(Err(exceeded.into()));
        }
        let text = encoding::encode(&bytes, encoding);
        self.answer(Ok(if bytes.is_influenced() {
            text.influenced()
        } else {
            text
        }))
    }

    fn concat(&mut self, parts: Vec<Resource<Secret>>) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let parts = parts
            .iter()
            .map(|part| self.secret(part))
            .collect::<wasmtime::Result<Vec<_>>>()?;
        // Counted before it is made: parts may repeat one large secret.
        let length: usize = parts.iter().map(Secret::len).sum();
        if let Err(exceeded) = self.meter.check(Limit::SecretBytes, length as u64) {
            return Ok(Err(exceeded.into()));
        }
        let mut bytes = Vec::with_capacity(length);
        for part in &parts {
            bytes.extend_from_slice(part.expose());
        }
        self.answer(Ok(Secret::new(bytes).influenced()))
    }

    fn seal(
        &mut self,
        key: Resource<Secret>,
        plaintext: Resource<Secret>,
        associated_data: Vec<u8>,
    ) -> Answer<Vec<u8>> {
        self.count_call()?;
        let (key, plaintext) = (self.secret(&key)?, self.secret(&plaintext)?);
        Ok(check_seal_key(&key)
            .and_then(|()| untouched(&key))
            .and_then(|()| aead::seal(&key, plaintext.expose(), &associated_data))
            .map_err(CryptoError::from))
    }

    fn open(
        &mut self,
        key: Resource<Secret>,
        sealed: Vec<u8>,
        associated_data: Vec<u8>,
    ) -> Answer<Resource<Secret>> {
        self.count_call()?;
        let key = self.secret(&key)?;
        let opened = check_seal_key(&key)
            .and_then(|()| aead::open(&key, &sealed, &associated_data))
            .map(|bytes| Secret::new(bytes).influenced());
        self.answer(opened)
    }
}

impl State {
    /// Turns a result into the guest's: the secret becomes a handle, counted.
    fn answer(&mut self, result: Result<Secret, crypto::CryptoError>) -> Answer<Resource<Secret>> {
        let secret = match result {
            Ok(secret) => secret,
            Err(error) => return Ok(Err(error.into())),
        };
        if let Err(exceeded) = self.admit(&secret) {
            return Ok(Err(exceeded.into()));
        }
        self.remember(&secret);
        Ok(Ok(self.handle(secret)?))
    }

    fn pbkdf2_job(&self, job: Pbkdf2Job) -> wasmtime::Result<pbkdf2::Job> {
        Ok(pbkdf2::Job {
            password: self.secret_to_come(&job.password)?,
            salt: job.salt,
            iterations: job.iterations,
            key_length: job.key_length,
            hash: job.hash.into(),
        })
    }

    /// Refuses work beyond the limits before any of it starts.
    fn admit_pbkdf2(&mut self, jobs: &[pbkdf2::Job]) -> Result<(), CryptoError> {
        let mut work = 0_u64;
        let mut length = 0_u64;
        for job in jobs {
            if job.iterations == 0 || job.key_length == 0 {
                let text = "pbkdf2 takes at least 1 iteration and 1 byte of key";
                return Err(CryptoError::InvalidParameter(text.to_owned()));
            }
            self.meter.check(Limit::KeyLength, job.key_length.into())?;
            work = work.saturating_add(job.work());
            length = length.saturating_add(job.key_length.into());
        }
        self.meter.check(Limit::SecretBytes, length)?;
        Ok(self.meter.spend(Limit::KeyDerivation, work)?)
    }

    fn random(&mut self, length: u32) -> Result<Vec<u8>, CryptoError> {
        // Random bytes are as good as secrets, and as bounded.
        self.meter.check(Limit::SecretBytes, length.into())?;
        Ok(random::bytes(length as usize)?)
    }
}

/// A key that is derived when it is first used. The work was admitted.
fn deferred(job: pbkdf2::Job) -> Secret {
    Secret::deferred(job.key_length as usize, move || {
        let mut keys = pbkdf2::derive(&[job]);
        keys.pop()
            .map_or_else(Zeroizing::default, Secret::into_bytes)
    })
}

/// A key that the host derived. What it was derived of decides whether the
/// component can know it; a short one can be guessed.
fn derived(key: Secret, of: &Secret) -> Secret {
    if of.is_influenced() || key.len() < LEAST_STRENGTH {
        key.influenced()
    } else {
        key
    }
}

/// Refuses a secret that the component had a hand in, where the answer would
/// tell what else is in it: a seal under a known key is no seal, and whether a
/// changed text decodes tells its characters one by one.
fn untouched(secret: &Secret) -> Result<(), crypto::CryptoError> {
    if secret.is_influenced() {
        return Err(crypto::CryptoError::InvalidParameter(
            "the component had a hand in this secret: here it takes one of the configuration, a random one, or what was derived of such with at least 16 bytes"
                .to_owned(),
        ));
    }
    Ok(())
}

fn check_seal_key(key: &Secret) -> Result<(), crypto::CryptoError> {
    if key.len() != SEAL_KEY_LENGTH {
        return Err(crypto::CryptoError::InvalidParameter(format!(
            "AES-256-GCM takes a key of {SEAL_KEY_LENGTH} bytes, not of {}",
            key.len()
        )));
    }
    Ok(())
}

impl From<crypto::CryptoError> for CryptoError {
    fn from(error: crypto::CryptoError) -> Self {
        match error {
            crypto::CryptoError::AuthenticationFailed => Self::AuthenticationFailed,
            crypto::CryptoError::InvalidParameter(text) => Self::InvalidParameter(text),
        }
    }
}

impl From<LimitExceeded> for CryptoError {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::LimitExceeded(exceeded.to_string())
    }
}

impl From<HashFunction> for crypto::HashFunction {
    fn from(hash: HashFunction) -> Self {
        match hash {
            HashFunction::Sha256 => Self::Sha256,
            HashFunction::Sha512 => Self::Sha512,
        }
    }
}
