//! PBKDF2-HMAC (RFC 8018, section 5.2), several derivations side by side.
//!
//! What a thread leaves in registers and on its stack below the loop is not
//! wiped; every state, block and key that is kept in memory here is.

mod compression;
mod kernel;
mod prf;

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use self::compression::{CompressionFunction, Sha256, Sha512};
use self::kernel::Kernel;
use self::prf::Prf;
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

/// Derives the key of every job, in the order of the jobs. The output blocks of
/// all jobs run side by side, on as many threads as the machine has processors.
pub fn derive(jobs: &[Job]) -> Vec<Secret> {
    let mut keys: Vec<_> = jobs
        .iter()
        .map(|job| vec![0; job.key_length as usize])
        .collect();
    let mut blocks_256 = Vec::new();
    let mut blocks_512 = Vec::new();
    for (job, key) in jobs.iter().zip(&mut keys) {
        match job.hash {
            HashFunction::Sha256 => blocks_256.extend(blocks::<Sha256>(job, key)),
            HashFunction::Sha512 => blocks_512.extend(blocks::<Sha512>(job, key)),
        }
    }
    let mut tasks = tasks(blocks_256);
    tasks.extend(self::tasks(blocks_512));
    let work = jobs.iter().map(Job::work).fold(0, u64::saturating_add);
    run(tasks, work);
    keys.into_iter().map(Secret::new).collect()
}

/// An output block, and where it goes.
struct Block<'a, C: CompressionFunction> {
    prf: Arc<Prf<C>>,
    /// Counts from 1.
    number: u32,
    iterations: u32,
    output: &'a mut [u8],
}

fn blocks<'a, C: CompressionFunction>(
    job: &Job,
    key: &'a mut [u8],
) -> impl Iterator<Item = Block<'a, C>> {
    let prf = Arc::new(Prf::<C>::new(job.password.expose(), &job.salt));
    let iterations = job.iterations;
    (1..)
        .zip(key.chunks_mut(C::OUTPUT_LENGTH))
        .map(move |(number, output)| Block {
            prf: Arc::clone(&prf),
            number,
            iterations,
            output,
        })
}

type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Blocks of as many iterations go through a kernel's lanes together; the
/// longest go first.
fn tasks<C: CompressionFunction>(mut blocks: Vec<Block<'_, C>>) -> Vec<Task<'_>> {
    let kernel = kernel::detect::<C>();
    blocks.sort_by_key(|block| Reverse(block.iterations));
    let mut tasks: Vec<Task<'_>> = Vec::new();
    let mut blocks = blocks.into_iter().peekable();
    while let Some(first) = blocks.next() {
        let iterations = first.iterations;
        let mut together = vec![first];
        while together.len() < kernel.lanes()
            && let Some(block) = blocks.next_if(|block| block.iterations == iterations)
        {
            together.push(block);
        }
        tasks.push(Box::new(move || derive_blocks(kernel, together)));
    }
    tasks
}

fn derive_blocks<C: CompressionFunction>(kernel: &dyn Kernel<C>, blocks: Vec<Block<'_, C>>) {
    let iterations = blocks.first().map_or(1, |block| block.iterations);
    let mut lanes: Vec<_> = blocks
        .iter()
        .map(|block| block.prf.first(block.number))
        .collect();
    kernel.iterate(&mut lanes, iterations.saturating_sub(1));
    for (lane, block) in lanes.iter().zip(blocks) {
        C::write(&lane.sum, block.output);
    }
}

fn run(tasks: Vec<Task<'_>>, work: u64) {
    let helpers = if work < WORTH_A_THREAD || tasks.len() < 2 {
        0
    } else {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        processors.min(tasks.len()) - 1
    };
    let tasks = Mutex::new(tasks.into_iter());
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take_tasks = || {
        while let Some(task) = next() {
            task();
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Without another thread, this one does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, take_tasks);
        }
        take_tasks();
    });
}

#[cfg(test)]
mod tests;
