//! PBKDF2 by the host and by its peers: 600,000 iterations, 32 bytes.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use keyhost::component::Request;
use keyhost::component::cache::Cache;
use keyhost::crypto::HashFunction;
use keyhost::crypto::pbkdf2::{Job, derive};
use keyhost::engine::Engine;
use keyhost::limits::{Limit, Limits};
use keyhost::plugins::error::CallError;
use keyhost::plugins::key_provider::KeyProviderComponent;
use keyhost::plugins::settings::Settings;
use keyhost::secret::Secret;
use serde_json::json;
use sha2::{Sha256, Sha512};

use crate::guests;
use crate::libcrypto::Libcrypto;
use crate::measure::Comparison;

pub(crate) const ITERATIONS: u32 = 600_000;
const PASSWORD: &str = "correct-horse-battery-staple";
const SALT: &[u8; 16] = b"a salt of 16 by.";

const PYTHON: &str = "\
import hashlib, sys, time
start = time.perf_counter_ns()
hashlib.pbkdf2_hmac(sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode(), int(sys.argv[4]), 32)
print(time.perf_counter_ns() - start)
";

pub(crate) fn job(hash: HashFunction) -> Job {
    Job {
        password: Secret::from(PASSWORD.to_owned()),
        salt: SALT.to_vec(),
        iterations: ITERATIONS,
        key_length: 32,
        hash,
    }
}

/// The time that work takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Duration> {
    let started = Instant::now();
    std::hint::black_box(work()?);
    Ok(started.elapsed())
}

fn name(hash: HashFunction) -> &'static str {
    match hash {
        HashFunction::Sha256 => "sha256",
        HashFunction::Sha512 => "sha512",
    }
}

fn libcrypto_derive(libcrypto: &Libcrypto, hash: HashFunction) -> anyhow::Result<[u8; 32]> {
    let sha512 = hash == HashFunction::Sha512;
    libcrypto.derive(sha512, PASSWORD.as_bytes(), SALT, ITERATIONS)
}

fn plain_crate(hash: HashFunction) -> [u8; 32] {
    let mut key = [0; 32];
    let password = PASSWORD.as_bytes();
    match hash {
        HashFunction::Sha256 => {
            pbkdf2::pbkdf2_hmac::<Sha256>(password, SALT, ITERATIONS, &mut key);
        }
        HashFunction::Sha512 => {
            pbkdf2::pbkdf2_hmac::<Sha512>(password, SALT, ITERATIONS, &mut key);
        }
    }
    key
}

pub(crate) fn one(
    libcrypto: &Libcrypto,
    hash: HashFunction,
    rounds: usize,
) -> anyhow::Result<String> {
    let expected = libcrypto_derive(libcrypto, hash)?;
    ensure!(
        derive(&[job(hash)])[0].expose() == expected,
        "keyhost and OpenSSL derive different keys"
    );
    let title = format!("One derivation, {}", name(hash));
    let inside = Inside::new(hash)?;
    inside.check(&expected)?;
    let mut comparison = Comparison::new(&title);
    comparison.add("OpenSSL, libcrypto", || {
        timed(|| libcrypto_derive(libcrypto, hash))
    });
    comparison.add("OpenSSL, `openssl kdf` (whole process)", || {
        openssl_kdf(hash)
    });
    comparison.add("Python's hashlib", || hashlib(hash));
    comparison.add("plain `pbkdf2` crate", || timed(|| Ok(plain_crate(hash))));
    comparison.add("keyhost's host function", || {
        timed(|| Ok(derive(&[job(hash)])))
    });
    comparison.add("the same crate inside a guest", || {
        timed(|| Ok(inside.derive()?))
    });
    comparison.run(rounds)
}

/// OpenTofu's job: the old key to decrypt with, and a new one.
pub(crate) fn two(
    libcrypto: &Libcrypto,
    hash: HashFunction,
    rounds: usize,
) -> anyhow::Result<String> {
    let title = format!("OpenTofu's job: two derivations, {}", name(hash));
    let mut comparison = Comparison::new(&title);
    comparison.add("OpenSSL, libcrypto, one after the other", || {
        timed(|| {
            libcrypto_derive(libcrypto, hash)?;
            libcrypto_derive(libcrypto, hash)
        })
    });
    comparison.add("plain `pbkdf2` crate, one after the other", || {
        timed(|| Ok((plain_crate(hash), plain_crate(hash))))
    });
    comparison.add("keyhost's host function, one call", || {
        timed(|| Ok(derive(&[job(hash), job(hash)])))
    });
    comparison.run(rounds)
}

fn openssl_kdf(hash: HashFunction) -> anyhow::Result<Duration> {
    let mut command = Command::new("openssl");
    command
        .args(["kdf", "-keylen", "32"])
        .args(["-kdfopt", &format!("digest:{}", name(hash))])
        .args(["-kdfopt", &format!("pass:{PASSWORD}")])
        .args(["-kdfopt", &format!("salt:{}", std::str::from_utf8(SALT)?)])
        .args(["-kdfopt", &format!("iter:{ITERATIONS}"), "PBKDF2"]);
    timed(|| {
        let output = command.output().context("openssl is not installed")?;
        ensure!(output.status.success(), "openssl failed");
        Ok(())
    })
}

/// What Python itself measures, without its start.
fn hashlib(hash: HashFunction) -> anyhow::Result<Duration> {
    let output = Command::new("python3")
        .args(["-c", PYTHON, name(hash), PASSWORD])
        .args([std::str::from_utf8(SALT)?, &ITERATIONS.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .context("python3 is not installed")?;
    let nanoseconds = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// The guest that derives without the host.
struct Inside {
    component: KeyProviderComponent,
    settings: Settings,
}

impl Inside {
    fn new(hash: HashFunction) -> anyhow::Result<Self> {
        let mut limits = Limits::default();
        limits.set(Limit::Fuel, u64::MAX / 2);
        limits.set(Limit::Deadline, 600_000);
        let path = guests::path("measured/derives-inside");
        let request = Request::new(&path, &limits);
        let component = guests::load_with(&Engine::new()?, &Cache::none(), &request);
        let settings = json!({
            "passphrase": PASSWORD,
            "iterations": ITERATIONS,
            "hash": name(hash),
        });
        let attributes = settings.as_object().cloned().unwrap_or_default();
        Ok(Self {
            component,
            settings: Settings {
                attributes,
                ..Settings::default()
            },
        })
    }

    fn derive(&self) -> Result<Secret, CallError> {
        let provided = self
            .component
            .provide::<CallError>(&self.settings, |_| Ok(None))?;
        Ok(provided.keys.encryption_key)
    }

    fn check(&self, expected: &[u8]) -> anyhow::Result<()> {
        let key = self.derive()?;
        ensure!(key.expose() == expected, "the guest derives another key");
        Ok(())
    }
}
