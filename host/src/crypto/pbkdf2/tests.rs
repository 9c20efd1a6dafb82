use serde::Deserialize;
use sha2::{Sha256, Sha512};

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

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    hash: String,
    password: String,
    salt: String,
    iterations: u32,
    key: String,
}

/// A shorter key is the beginning of a longer one.
#[test]
fn every_length_matches_openssl() {
    let vectors: Vectors = serde_json::from_str(include_str!("openssl.json")).expect("vectors");
    assert_eq!(vectors.cases.len(), 100);
    for case in vectors.cases {
        let bytes = |text: &str| hex::decode(text).expect("hexadecimal");
        let jobs: Vec<_> = (1..=200)
            .map(|key_length| Job {
                password: Secret::new(bytes(&case.password)),
                salt: bytes(&case.salt),
                iterations: case.iterations,
                key_length,
                hash: match case.hash.as_str() {
                    "sha256" => HashFunction::Sha256,
                    "sha512" => HashFunction::Sha512,
                    other => panic!("no hash function: {other}"),
                },
            })
            .collect();
        for (key, length) in derive(&jobs).iter().zip(1..) {
            let expected = &bytes(&case.key)[..length];
            assert_eq!(hex::encode(key.expose()), hex::encode(expected));
        }
    }
}

/// Jobs of every kind at once, so that threads and lanes mix them.
#[test]
fn random_jobs_match_the_plain_crate() {
    let mut seed = [0; 8];
    getrandom::fill(&mut seed).expect("random bytes");
    let mut state = u64::from_le_bytes(seed) | 1;
    println!("seed {state}");
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let jobs: Vec<_> = (0..300)
        .map(|_| Job {
            password: Secret::new((0..below(300)).map(|_| below(256) as u8).collect()),
            salt: (0..below(300)).map(|_| below(256) as u8).collect(),
            iterations: 1 + below(400) as u32,
            key_length: 1 + below(200) as u32,
            hash: match below(2) {
                0 => HashFunction::Sha256,
                _ => HashFunction::Sha512,
            },
        })
        .collect();
    for (job, key) in jobs.iter().zip(derive(&jobs)) {
        let mut expected = vec![0; job.key_length as usize];
        let (password, salt) = (job.password.expose(), job.salt.as_slice());
        match job.hash {
            HashFunction::Sha256 => {
                pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, job.iterations, &mut expected);
            }
            HashFunction::Sha512 => {
                pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, job.iterations, &mut expected);
            }
        }
        assert_eq!(hex::encode(key.expose()), hex::encode(expected), "{job:?}");
    }
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
