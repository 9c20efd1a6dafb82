//! `keyhost_key`: the key of a configured key provider, which stays the same.

use crate::config::ephemeral::EphemeralAddress;
use crate::config::reference::Address;
use crate::crypto::encoding::{Encoding, encode};
use crate::ephemeral::EphemeralResources;
use keyhost_terraform_plugin::{Attribute, AttributeType, Diagnostic, Lease, Opened, ResourceType};
use serde_json::{Map, Value};

/// The type, without the provider's prefix.
pub(super) const TYPE: &str = "key";

const PROVIDER: &str = "key_provider";

pub(super) fn resource_type() -> ResourceType {
    let attribute = |name: &str, description: &str| Attribute {
        name: name.to_owned(),
        kind: AttributeType::String,
        required: false,
        optional: false,
        computed: true,
        sensitive: true,
        description: description.to_owned(),
    };
    ResourceType {
        name: TYPE.to_owned(),
        description: "The key of a key provider in keyhost's configuration. It stays the same from run to run; there is no lease.".to_owned(),
        attributes: vec![
            Attribute {
                required: true,
                computed: false,
                sensitive: false,
                ..attribute(PROVIDER, "Its address: \"key_provider.TYPE.NAME\".")
            },
            attribute("hex", "The key in hexadecimal."),
            attribute("base64", "The key in standard base64 with padding."),
        ],
    }
}

pub(super) fn address(config: &Map<String, Value>) -> Result<Option<Address>, Diagnostic> {
    let Some(text) = config.get(PROVIDER).and_then(Value::as_str) else {
        return Ok(None);
    };
    text.parse()
        .map(Some)
        .map_err(|error| Diagnostic::error("Wrong address", format!("{error}.")).about(PROVIDER))
}

pub(super) fn open(
    resources: &EphemeralResources<'_>,
    config: &Map<String, Value>,
) -> Result<Opened, Diagnostic> {
    let missing = || Diagnostic::error("No key provider", "").about(PROVIDER);
    let address = address(config)?.ok_or_else(missing)?;
    let user = EphemeralAddress::new(TYPE, "terraform").ok_or_else(missing)?;
    let key = resources
        .key(&user, &address)
        .map_err(|error| Diagnostic::error("No key", format!("{error}.")).about(PROVIDER))?;
    let spelled = |encoding| {
        let text = encode(&key, encoding);
        Value::String(String::from_utf8_lossy(text.expose()).into_owned())
    };
    let values = [
        ("hex", spelled(Encoding::Hex)),
        ("base64", spelled(Encoding::Base64)),
    ];
    Ok(Opened {
        values: values
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        lease: Lease {
            private: Vec::new(),
            renew_at: None,
        },
    })
}
