//! What a plugin's `build` receives, and what its `describe` answers: the same
//! for every kind.

use serde_json::{Map, Value};
use wasmtime::Store;

use crate::bindings::imports::keyhost::plugin::config as wit;
use crate::descriptor::{
    Attribute, AttributeType, Descriptor, InvalidDescriptor, MAXIMUM_ATTRIBUTES, MAXIMUM_DEFAULT,
};
use crate::sandbox::state::State;
use crate::secret::{KeyPair, Secret};

/// A configuration block, decoded: what a component's `build` receives.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The plain attributes.
    pub attributes: Map<String, Value>,
    /// The sensitive attributes.
    pub secrets: Vec<(String, Secret)>,
    /// The keys of key providers.
    pub keys: Vec<(String, KeyPair)>,
}

pub(super) fn give_config(
    store: &mut Store<State>,
    settings: &Settings,
) -> wasmtime::Result<wit::Config> {
    let state = store.data_mut();
    let mut config = wit::Config {
        attributes: Value::Object(settings.attributes.clone()).to_string(),
        secrets: Vec::new(),
        keys: Vec::new(),
    };
    for (name, secret) in &settings.secrets {
        config
            .secrets
            .push((name.clone(), state.give(secret.clone())?));
    }
    for (name, keys) in &settings.keys {
        let decryption_key = keys.decryption_key.clone();
        let pair = wit::KeyPair {
            encryption_key: state.give(keys.encryption_key.clone())?,
            decryption_key: decryption_key.map(|key| state.give(key)).transpose()?,
        };
        config.keys.push((name.clone(), pair));
    }
    Ok(config)
}

pub(super) fn descriptor(described: wit::Descriptor) -> Result<Descriptor, InvalidDescriptor> {
    if described.attributes.len() > MAXIMUM_ATTRIBUTES {
        let breach = format!("more than {MAXIMUM_ATTRIBUTES} attributes");
        return Err(InvalidDescriptor::new(breach));
    }
    let attributes = described.attributes.into_iter().map(attribute);
    Ok(Descriptor {
        id: crate::guest_text::fit(&described.id),
        version: crate::guest_text::fit(&described.version),
        attributes: attributes.collect::<Result<_, _>>()?,
    })
}

fn attribute(described: wit::Attribute) -> Result<Attribute, InvalidDescriptor> {
    let name = crate::guest_text::fit(&described.name);
    let default = match &described.default {
        None => None,
        Some(text) if text.len() > MAXIMUM_DEFAULT => {
            let breach = format!("the default of {name} is longer than {MAXIMUM_DEFAULT} bytes");
            return Err(InvalidDescriptor::new(breach));
        }
        Some(text) => Some(
            serde_json::from_str(text)
                .map_err(|_| InvalidDescriptor::new(format!("the default of {name} is no JSON")))?,
        ),
    };
    Ok(Attribute {
        kind: attribute_type(described.kind),
        required: described.required,
        sensitive: described.sensitive,
        default,
        description: crate::guest_text::fit(&described.description),
        name,
    })
}

pub(super) fn attribute_type(kind: wit::AttributeType) -> AttributeType {
    match kind {
        wit::AttributeType::String => AttributeType::String,
        wit::AttributeType::Number => AttributeType::Number,
        wit::AttributeType::Bool => AttributeType::Bool,
        wit::AttributeType::ListOfString => AttributeType::ListOfString,
        wit::AttributeType::MapOfString => AttributeType::MapOfString,
        wit::AttributeType::Key => AttributeType::Key,
    }
}
