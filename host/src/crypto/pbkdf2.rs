//! PBKDF2-HMAC (RFC 8018, section 5.2), several derivations side by side.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sha2::{Sha256, Sha512};

use super::HashFunction;
use crate::secret::Secret;

/// One derivation.
#[derive(Clone, Debug)]
pub struct Job {
    /// The password.
    pub password: Secret,
    /// The salt.
    pub salt: Vec<u8>,
    /// How often the pseudorandom function is applied, at least 1.
    pub iterations: u32,
    /// The length of the derived key in bytes, at least 1.
    pub key_length: u32,
    /// The hash function of the HMAC.
    pub hash: HashFunction,
}

impl Job {
    /// The work of this derivation: iterations times output blocks, and as
    /// much as it takes to hash a long password and a long salt.
    pub fn work(&self) -> u64 {
        let blocks = u64::from(self.key_length).div_ceil(self.hash.output_length() as u64);
        let block_length = self.hash.block_length();
        let hashed = |bytes: usize| (bytes / block_length) as u64;
        u64::from(self.iterations)
            .saturating_add(hashed(self.salt.len()))
            .saturating_mul(blocks)
            .saturating_add(hashed(self.password.len()))
    }
}

/// Below this work, another thread costs more than it saves.
const WORTH_A_THREAD: u64 = 10_000;

/// Derives the key of every job, in the order of the jobs, on as many threads
/// as the machine has processors.
pub fn derive(jobs: &[Job]) -> Vec<Secret> {
    let work = jobs.iter().map(Job::work).fold(0, u64::saturating_add);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let helpers = if work < WORTH_A_THREAD {
        0
    } else {
        processors.min(jobs.len()).saturating_sub(1)
    };
    let next = AtomicUsize::new(0);
    let keys: Vec<OnceLock<Secret>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let take_jobs = || {
        while let Some((job, key)) = {
            let position = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(position).zip(keys.get(position))
        } {
            key.get_or_init(|| derive_one(job));
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Without another thread, this one does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, take_jobs);
        }
        take_jobs();
    });
    let keys = keys.into_iter().zip(jobs);
    keys.map(|(key, job)| key.into_inner().unwrap_or_else(|| derive_one(job)))
        .collect()
}

fn derive_one(job: &Job) -> Secret {
    let mut key = vec![0; job.key_length as usize];
    let (password, salt) = (job.password.expose(), job.salt.as_slice());
    match job.hash {
        HashFunction::Sha256 => {
            pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, job.iterations, &mut key);
        }
        HashFunction::Sha512 => {
            pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, job.iterations, &mut key);
        }
    }
    Secret::new(key)
}

#[cfg(test)]
mod tests {
    use super::{Job, derive};
    use crate::crypto::HashFunction;
    use crate::secret::Secret;

    fn job(hash: HashFunction, iterations: u32, key_length: u32) -> Job {
        Job {
            password: Secret::from("passwd".to_owned()),
            salt: b"salt".to_vec(),
            iterations,
            key_length,
            hash,
        }
    }

    #[test]
    fn matches_rfc_7914_section_11() {
        let keys = derive(&[job(HashFunction::Sha256, 1, 64)]);
        let expected = "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
                        49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783";
        assert_eq!(hex::encode(keys[0].expose()), expected);
    }

    #[test]
    fn keeps_the_order_of_many_jobs() {
        let jobs: Vec<_> = (1..=9).map(|n| job(HashFunction::Sha512, n, 20)).collect();
        let alone: Vec<_> = jobs
            .iter()
            .flat_map(|job| derive(std::slice::from_ref(job)))
            .collect();
        assert_eq!(derive(&jobs), alone);
    }

    #[test]
    fn work_counts_every_output_block() {
        assert_eq!(job(HashFunction::Sha512, 1000, 64).work(), 1000);
        assert_eq!(job(HashFunction::Sha512, 1000, 65).work(), 2000);
        assert_eq!(
            job(HashFunction::Sha256, u32::MAX, 1024).work(),
            u64::from(u32::MAX) * 32
        );
    }
}
