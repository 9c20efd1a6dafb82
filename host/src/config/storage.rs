//! The `storage` block: where components that are granted storage keep bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hcl::Value;

use super::document::{Block, Body};
use super::evaluate::Scope;
use super::source::ConfigError;
use super::sources::Sources;
use crate::secret::Secret;
use crate::storage::{EmbeddedStorage, NowhereStorage, RedisStorage, Storage, StorageError};

/// Where bytes are kept.
#[derive(Clone, Debug, Default)]
pub enum StorageConfig {
    /// No block: a file of the user's.
    #[default]
    Default,
    /// `storage "file"`.
    File {
        /// The file, relative to the configuration file's directory or
        /// absolute.
        path: PathBuf,
    },
    /// `storage "redis"`.
    Redis {
        /// The address, which can hold a password.
        url: Secret,
        /// A PEM file of the authorities to trust, in place of the system's.
        ca_certificate: Option<PathBuf>,
    },
}

impl StorageConfig {
    /// The storage. Nothing is opened or connected before it is used.
    ///
    /// # Errors
    /// [`ConfigError`] where an address or a file of authorities cannot be used.
    pub fn open(&self, default: Option<PathBuf>) -> Result<Arc<dyn Storage>, ConfigError> {
        let wrong = |error: StorageError| ConfigError::new(error.to_string());
        match self {
            Self::Default => Ok(match default {
                Some(path) => Arc::new(EmbeddedStorage::new(path)),
                None => Arc::new(NowhereStorage),
            }),
            Self::File { path } => Ok(Arc::new(EmbeddedStorage::new(path.clone()))),
            Self::Redis {
                url,
                ca_certificate,
            } => {
                let url = String::from_utf8_lossy(url.expose());
                let mut redis = RedisStorage::new(&url).map_err(wrong)?;
                if let Some(path) = ca_certificate {
                    redis = redis.with_ca(path).map_err(wrong)?;
                }
                Ok(Arc::new(redis))
            }
        }
    }
}

/// Reads the block.
pub(super) fn storage(
    sources: &Sources,
    body: &Body,
    directory: &Path,
    scope: &Scope,
) -> Result<StorageConfig, ConfigError> {
    let Some(block) = body.blocks("storage").next() else {
        return Ok(StorageConfig::Default);
    };
    let kind = block.labels.concat();
    let (required, optional) = match kind.as_str() {
        "file" => ("path", None),
        "redis" => ("url", Some("ca_certificate")),
        other => {
            let message = format!("there is no storage \"{other}\", only file and redis");
            return Err(sources.error(&block.span, message));
        }
    };
    let mut attributes = block.body.attributes.iter();
    let unknown = attributes.find(|written| {
        let name = written.name.as_str();
        name != required && Some(name) != optional
    });
    if let Some(unknown) = unknown {
        let message = format!(
            "the storage \"{kind}\" has no attribute \"{}\"",
            unknown.name
        );
        return Err(sources.error(&unknown.span, message));
    }
    let text = |name| text(sources, scope, block, name);
    let Some(first) = text(required)? else {
        let message = format!("the storage \"{kind}\" needs the attribute \"{required}\"");
        return Err(sources.error(&block.span, message));
    };
    Ok(match kind.as_str() {
        "file" => StorageConfig::File {
            path: directory.join(first),
        },
        _ => StorageConfig::Redis {
            url: Secret::from(first),
            ca_certificate: text("ca_certificate")?.map(|path| directory.join(path)),
        },
    })
}

fn text(
    sources: &Sources,
    scope: &Scope,
    block: &Block,
    name: &str,
) -> Result<Option<String>, ConfigError> {
    let Some(attribute) = block.body.attribute(name) else {
        return Ok(None);
    };
    match scope.evaluate(sources, &attribute.value)? {
        Value::String(text) if !text.is_empty() => Ok(Some(text)),
        _ => Err(sources.error(&attribute.span, format!("{name} takes a string, not empty"))),
    }
}
