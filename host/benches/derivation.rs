//! PBKDF2, by the host and by the plain crate.

use divan::Bencher;
use keyhost::crypto::HashFunction;
use keyhost::crypto::pbkdf2::{Job, derive};
use keyhost::secret::Secret;
use sha2::{Sha256, Sha512};

const ITERATIONS: u32 = 100_000;

fn main() {
    divan::main();
}

fn job(hash: HashFunction, key_length: u32) -> Job {
    Job {
        password: Secret::from("correct-horse-battery-staple".to_owned()),
        salt: b"a salt of 16 by.".to_vec(),
        iterations: ITERATIONS,
        key_length,
        hash,
    }
}

#[divan::bench(args = [HashFunction::Sha256, HashFunction::Sha512])]
fn one_key(hash: HashFunction) -> Vec<Secret> {
    derive(&[job(hash, 32)])
}

#[divan::bench(args = [HashFunction::Sha256, HashFunction::Sha512])]
fn two_keys(hash: HashFunction) -> Vec<Secret> {
    derive(&[job(hash, 32), job(hash, 32)])
}

#[divan::bench(args = [HashFunction::Sha256, HashFunction::Sha512])]
fn one_key_of_four_blocks(hash: HashFunction) -> Vec<Secret> {
    derive(&[job(hash, 4 * hash.output_length() as u32)])
}

#[divan::bench(args = [HashFunction::Sha256, HashFunction::Sha512])]
fn one_key_by_the_plain_crate(bencher: Bencher<'_, '_>, hash: HashFunction) {
    let job = job(hash, 32);
    bencher.bench(|| {
        let mut key = [0; 32];
        let (password, salt) = (job.password.expose(), job.salt.as_slice());
        match hash {
            HashFunction::Sha256 => {
                pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, ITERATIONS, &mut key);
            }
            HashFunction::Sha512 => {
                pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, ITERATIONS, &mut key);
            }
        }
        key
    });
}
