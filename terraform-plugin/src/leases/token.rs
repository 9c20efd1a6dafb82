//! What the client holds of a lease: an identity, and what closing needs.
//!
//! The client closes with the bytes that opening gave, whatever renewals gave since,
//! so the identity leads to the newest ones. It is random: a token of another process
//! must not meet a lease of this one.

const ID_LENGTH: usize = 16;

/// Identifies a lease in all processes.
pub(super) type LeaseId = [u8; ID_LENGTH];

/// The random numbers of the system are missing.
#[derive(Debug, thiserror::Error)]
#[error("the system gave no random numbers")]
pub(super) struct NoRandomness;

pub(super) fn new_id() -> Result<LeaseId, NoRandomness> {
    let mut id = [0; ID_LENGTH];
    getrandom::fill(&mut id).map_err(|_| NoRandomness)?;
    Ok(id)
}

pub(super) fn encode(id: &LeaseId, private: &[u8]) -> Vec<u8> {
    [id, private].concat()
}

/// `None` for bytes that no provider of ours gave.
pub(super) fn decode(token: &[u8]) -> Option<(LeaseId, &[u8])> {
    let (id, private) = token.split_first_chunk()?;
    Some((*id, private))
}
