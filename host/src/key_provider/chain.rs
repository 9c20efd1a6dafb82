//! Asking a provider means asking all that it refers to first, in order.

use std::collections::BTreeMap;

use super::metadata::{self, MetadataError, Purpose, StoredMetadata};
use super::output::Output;
use super::{KeyProviders, Loaded, ProvideError};
use crate::config::decode::{Decoded, KeySource};
use crate::config::reference::Address;
use crate::plugins::error::CallError;
use crate::plugins::key_provider::Provided;
use crate::plugins::settings::Settings;
use crate::sandbox::fault::Fault;
use crate::secret::KeyPair;

impl KeyProviders<'_> {
    /// The keys of a provider. Every provider of the chain is asked once.
    ///
    /// # Errors
    /// [`ProvideError`]; to decrypt also where a decryption key
    /// is missing: there is never a silent change to encryption alone.
    pub fn provide(&self, address: &Address, purpose: &Purpose) -> Result<Output, ProvideError> {
        let mut blocks = BTreeMap::new();
        let order = self.config.order(address, |address| {
            let decoded = self
                .config
                .decode(address, &self.load(address)?.descriptor)?;
            let references = references(&decoded);
            blocks.insert(address.clone(), decoded);
            Ok::<_, ProvideError>(references)
        })?;
        self.refuse_duplicate_keys(&order)?;
        let mut keys: BTreeMap<Address, KeyPair> = BTreeMap::new();
        let mut metadata = StoredMetadata::new();
        for address in &order {
            let decoded = blocks.remove(address).unwrap_or_default();
            let settings = settings(decoded, &keys);
            let provided = self.ask(address, &settings, purpose)?;
            if let Some(text) = provided.metadata {
                metadata.insert(self.config.metadata_key(address)?.to_owned(), text);
            }
            keys.insert(address.clone(), provided.keys);
        }
        match keys.remove(address) {
            Some(keys) => Ok(Output { keys, metadata }),
            None => Err(self.contract(address, "it is not in its own chain")),
        }
    }

    fn ask(
        &self,
        address: &Address,
        settings: &Settings,
        purpose: &Purpose,
    ) -> Result<Provided, ProvideError> {
        let loaded = self.load(address)?;
        let key = self.config.metadata_key(address)?;
        let stored = |keeps_metadata| match purpose.stored() {
            Some(stored) if keeps_metadata => find(stored, key, &loaded)
                .map(Some)
                .map_err(AskError::Metadata),
            _ => Ok(None),
        };
        let answer = match purpose {
            Purpose::DecryptAlone(_) => loaded.component.provide_deferred(settings, stored),
            _ => loaded.component.provide(settings, stored),
        };
        let mut provided = answer.map_err(|error| error.at(address, &loaded))?;
        if *purpose == Purpose::Encrypt && !provided.keeps_metadata {
            // Such a provider cannot know that nothing is to be decrypted.
            provided.keys.decryption_key = None;
        }
        self.check(address, &loaded, &provided, purpose)?;
        Ok(provided)
    }

    /// Holds the component to the contract.
    fn check(
        &self,
        address: &Address,
        loaded: &Loaded,
        provided: &Provided,
        purpose: &Purpose,
    ) -> Result<(), ProvideError> {
        let breach = |text| Err(self.contract(address, text));
        let Provided {
            keys,
            metadata,
            keeps_metadata,
            ..
        } = provided;
        match (metadata, keeps_metadata) {
            (None, true) => return breach("it keeps metadata and returned none"),
            (Some(_), false) => return breach("it keeps no metadata and returned some"),
            (Some(text), true) => {
                let key = self.config.metadata_key(address)?;
                metadata::check(key, text, loaded.component.limits()).map_err(|cause| {
                    self.contract(address, &format!("of what it returned, {cause}"))
                })?;
            }
            (None, false) => {}
        }
        if keys.encryption_key.is_empty() {
            return breach("its encryption key is empty");
        }
        match (&keys.decryption_key, purpose.stored()) {
            (Some(_), None) => breach("it returned a decryption key without metadata"),
            (None, Some(_)) => breach("it returned no decryption key"),
            (Some(key), _) if key.is_empty() => breach("its decryption key is empty"),
            _ => Ok(()),
        }
    }

    fn refuse_duplicate_keys(&self, order: &[Address]) -> Result<(), ProvideError> {
        let mut seen: BTreeMap<&str, &Address> = BTreeMap::new();
        for address in order {
            let key = self.config.metadata_key(address)?;
            if let Some(first) = seen.insert(key, address) {
                return Err(ProvideError::DuplicateMetadataKey {
                    key: key.to_owned(),
                    first: first.clone(),
                    second: address.clone(),
                });
            }
        }
        Ok(())
    }

    fn contract(&self, address: &Address, breach: &str) -> ProvideError {
        ProvideError::Contract {
            address: address.clone(),
            component: address.kind().to_owned(),
            breach: breach.to_owned(),
        }
    }
}

pub(crate) fn references(decoded: &Decoded) -> Vec<Address> {
    let sources = decoded.keys.iter().map(|(_, source)| source);
    sources
        .filter_map(|source| match source {
            KeySource::Provider(address) => Some(address.clone()),
            KeySource::Literal(_) => None,
        })
        .collect()
}

/// Puts keys in the place of references; the order made sure that they exist.
pub(crate) fn settings(decoded: Decoded, keys: &BTreeMap<Address, KeyPair>) -> Settings {
    let resolve = |(name, source)| match source {
        KeySource::Literal(pair) => Some((name, pair)),
        KeySource::Provider(address) => Some((name, keys.get(&address)?.clone())),
    };
    Settings {
        attributes: decoded.attributes,
        secrets: decoded.secrets,
        keys: decoded.keys.into_iter().filter_map(resolve).collect(),
    }
}

fn find(stored: &StoredMetadata, key: &str, loaded: &Loaded) -> Result<String, MetadataError> {
    let Some(text) = stored.get(key) else {
        return Err(MetadataError::Missing {
            key: key.to_owned(),
            found: stored.keys().cloned().collect(),
        });
    };
    metadata::check(key, text, loaded.component.limits())?;
    Ok(text.clone())
}

/// Why one provider gave nothing, before it is said which.
enum AskError {
    Call(CallError),
    Metadata(MetadataError),
}

impl From<CallError> for AskError {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<Fault> for AskError {
    fn from(fault: Fault) -> Self {
        Self::Call(fault.into())
    }
}

impl AskError {
    fn at(self, address: &Address, loaded: &Loaded) -> ProvideError {
        let address = address.clone();
        match self {
            Self::Call(cause) => ProvideError::Call {
                address,
                component: loaded.component.name().to_owned(),
                cause,
            },
            Self::Metadata(cause) => ProvideError::Metadata { address, cause },
        }
    }
}
