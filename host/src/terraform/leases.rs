//! What the client keeps for us: enough to renew and to close, also in a fresh
//! process.

use keyhost_terraform_plugin::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Private bytes, as the client has them, in memory only.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Private {
    /// The attributes that the lease was opened with.
    pub(super) attributes: Map<String, Value>,
    /// The component's own notes.
    pub(super) notes: Vec<u8>,
}

impl Private {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        serde_json::to_vec(self).map_err(|_| foreign())
    }

    pub(super) fn of(bytes: &[u8]) -> Result<Self, Diagnostic> {
        serde_json::from_slice(bytes).map_err(|_| foreign())
    }
}

fn foreign() -> Diagnostic {
    Diagnostic::error("Foreign private bytes", "They are not this provider's.")
}
