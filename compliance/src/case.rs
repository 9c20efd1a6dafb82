//! The case file of a component: what its author promises, as data. It mirrors
//! the `TestConfiguration` of OpenTofu's compliance suite.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::subject::Keys;

/// A case file: `NAME.compliance.toml` beside `NAME.wasm`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// The version of this format: 1.
    pub version: u32,
    /// Keys that references resolve to, by address such as
    /// `key_provider.test.a`.
    #[serde(default)]
    pub keys: BTreeMap<String, TestKeys>,
    /// Blocks in HCL.
    #[serde(default)]
    pub hcl: Vec<ParseCase>,
    /// Blocks in HCL's JSON syntax.
    #[serde(default)]
    pub json: Vec<ParseCase>,
    /// Attributes that decode, and build or do not.
    #[serde(default)]
    pub config: Vec<ConfigCase>,
    /// Stored metadata: absent, valid and invalid.
    #[serde(default)]
    pub metadata: Vec<MetadataCase>,
    /// How the provider gives keys.
    pub provide: Option<ProvideCase>,
    /// How the credentials helper keeps tokens.
    pub helper: Option<HelperCase>,
    /// How the ephemeral resource lends.
    pub ephemeral: Option<EphemeralCase>,
}

/// Keys of another provider.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestKeys {
    /// In hexadecimal.
    pub encryption_key: String,
    /// In hexadecimal; absent while nothing is to be decrypted.
    pub decryption_key: Option<String>,
}

/// A whole `key_provider "ID" "name" { … }` `credentials_helper "ID" { … }`
/// or `ephemeral_resource "ID" "name" { … }` block.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParseCase {
    /// What the case is called.
    pub name: String,
    /// The block.
    pub text: String,
    /// Whether it decodes.
    pub valid: bool,
    /// Whether a provider can be built of it; only asked where it decodes.
    #[serde(default)]
    pub valid_build: bool,
}

/// The attributes of a block.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigCase {
    /// What the case is called.
    pub name: String,
    /// The attributes, as in the JSON syntax: references are texts.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Whether a provider can be built of them.
    pub valid_build: bool,
}

/// Stored metadata.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataCase {
    /// What the case is called.
    pub name: String,
    /// The attributes to build with.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The metadata as JSON; absent for a first call.
    pub metadata: Option<String>,
    /// Whether it is valid; without meaning where it is absent.
    #[serde(default)]
    pub valid: bool,
    /// The decryption key that it gives, in hexadecimal, where it is known.
    pub decryption_key: Option<String>,
}

/// How the provider gives keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProvideCase {
    /// The attributes to build with.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The length of both keys in bytes.
    pub key_length: usize,
    /// The encryption key in hexadecimal, where it is the same at every call.
    pub encryption_key: Option<String>,
    /// Whether every call makes new metadata, such as a fresh salt.
    #[serde(default = "yes")]
    pub fresh_metadata: bool,
}

/// How the credentials helper keeps tokens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HelperCase {
    /// The attributes to build with.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Whether it refuses to store and to forget.
    #[serde(default)]
    pub read_only: bool,
    /// The objects that it knows without storing, by host, as JSON.
    #[serde(default)]
    pub known: BTreeMap<String, String>,
}

/// How the ephemeral resource lends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EphemeralCase {
    /// The attributes to build with.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The longest that a lease can live, in seconds, however often it is
    /// renewed; absent where it has no end.
    pub maximum_lifetime: Option<u64>,
    /// The values that it gives, where they are always the same.
    #[serde(default)]
    pub values: BTreeMap<String, serde_json::Value>,
}

fn yes() -> bool {
    true
}

/// A case file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct CaseError {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Cases {
    /// Reads a case file.
    ///
    /// # Errors
    /// [`CaseError`] with line and column.
    pub fn parse(file: &str, text: &str) -> Result<Self, CaseError> {
        let at = |offset: usize, message: String| {
            let before = text.get(..offset.min(text.len())).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |position| position + 1);
            CaseError {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before[start..].chars().count() + 1,
                message,
            }
        };
        let cases: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            at(start, error.message().replace('\n', "; "))
        })?;
        if cases.version != 1 {
            return Err(at(
                0,
                format!("version {} is unknown, only 1", cases.version),
            ));
        }
        for key in cases.hexadecimal() {
            if hex::decode(key).is_err() {
                let offset = text.find(key.as_str()).unwrap_or(0);
                return Err(at(offset, "a key is written in hexadecimal".to_owned()));
            }
        }
        Ok(cases)
    }

    /// Every text that spells a key.
    fn hexadecimal(&self) -> impl Iterator<Item = &String> {
        let keys = self.keys.values();
        let keys = keys.flat_map(|keys| [Some(&keys.encryption_key), keys.decryption_key.as_ref()]);
        let known = self
            .metadata
            .iter()
            .map(|case| case.decryption_key.as_ref());
        let provided = self.provide.iter().map(|case| case.encryption_key.as_ref());
        keys.chain(known).chain(provided).flatten()
    }

    /// The schema of case files, as JSON Schema.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// The keys that references resolve to.
    pub(crate) fn test_keys(&self) -> BTreeMap<String, Keys> {
        let keys = self.keys.iter().map(|(address, keys)| {
            let keys = Keys {
                encryption_key: bytes(&keys.encryption_key),
                decryption_key: keys.decryption_key.as_deref().map(bytes),
            };
            (address.clone(), keys)
        });
        keys.collect()
    }
}

/// The bytes of a key; reading the file made sure that it is hexadecimal.
pub(crate) fn bytes(key: &str) -> Vec<u8> {
    hex::decode(key).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Cases;

    #[test]
    fn errors_have_a_line_and_a_column() {
        for (text, line, column) in [
            ("version = 2", 1, 1),
            ("version = 1\nhlc = []", 2, 1),
            ("version = 1\n[provide]\nkey_length = \"x\"", 3, 14),
            ("version = 1\n[keys.a]\nencryption_key = \"xyz\"", 3, 19),
            ("version = ", 1, 11),
        ] {
            let error = Cases::parse("f", text).expect_err(text);
            assert_eq!((error.line, error.column), (line, column), "{error}");
        }
    }

    #[test]
    fn the_schema_names_every_table() {
        let schema = Cases::schema().to_string();
        for name in [
            "keys",
            "hcl",
            "json",
            "config",
            "metadata",
            "provide",
            "fresh_metadata",
            "helper",
            "read_only",
            "ephemeral",
            "maximum_lifetime",
        ] {
            assert!(schema.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
