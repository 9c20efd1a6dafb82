//! The contract's values, to and from the host's own.

use wasmtime::Store;
use wasmtime::component::Resource;

use crate::bindings::imports::keyhost::plugin::config as wit;
use crate::bindings::key_provider::exports::keyhost::plugin::key_provider as guest;
use crate::limits::Limit;
use crate::plugins::error::{CallError, ErrorKind, guest_error};
use crate::sandbox::fault::Fault;
use crate::sandbox::state::State;
use crate::secret::{KeyPair, Secret};

pub(super) fn take_keys(
    store: &mut Store<State>,
    keys: wit::KeyPair,
) -> Result<KeyPair, CallError> {
    let mut take = |handle: Resource<Secret>| {
        let key = store
            .data_mut()
            .take(handle)
            .map_err(|error| Fault::of(&error, store))?;
        store
            .data_mut()
            .meter
            .check(Limit::KeyLength, key.len() as u64)?;
        Ok::<_, CallError>(key)
    };
    Ok(KeyPair {
        encryption_key: take(keys.encryption_key)?,
        decryption_key: keys.decryption_key.map(take).transpose()?,
    })
}

pub(super) fn error(error: guest::Error, store: &Store<State>) -> CallError {
    let (kind, text) = match error {
        guest::Error::InvalidConfiguration(text) => (ErrorKind::InvalidConfiguration, text),
        guest::Error::InvalidMetadata(text) => (ErrorKind::InvalidMetadata, text),
        guest::Error::KeyProviderFailure(text) => (ErrorKind::KeyProviderFailure, text),
    };
    guest_error(kind, &text, store)
}
