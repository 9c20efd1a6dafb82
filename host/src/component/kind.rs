//! The kinds of plugins, told by what a component exports.

use std::fmt;

/// A kind of plugin: a world of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginKind {
    /// A source of encryption keys.
    KeyProvider,
    /// A store of tokens for hosts.
    CredentialsHelper,
    /// A value that lives for one operation.
    EphemeralResource,
}

impl PluginKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [
        Self::KeyProvider,
        Self::CredentialsHelper,
        Self::EphemeralResource,
    ];

    /// The interface that a component of this kind exports, as far as its
    /// version's patch.
    pub const fn export(self) -> &'static str {
        match self {
            Self::KeyProvider => "keyhost:plugin/key-provider@0.1.",
            Self::CredentialsHelper => "keyhost:plugin/credentials-helper@0.1.",
            Self::EphemeralResource => "keyhost:plugin/ephemeral-resource@0.1.",
        }
    }

    /// The name of its world in the contract.
    pub const fn world(self) -> &'static str {
        match self {
            Self::KeyProvider => "key-provider-plugin",
            Self::CredentialsHelper => "credentials-helper-plugin",
            Self::EphemeralResource => "ephemeral-resource-plugin",
        }
    }

    /// What stands before its name in a sentence.
    pub const fn article(self) -> &'static str {
        match self {
            Self::KeyProvider | Self::CredentialsHelper => "a",
            Self::EphemeralResource => "an",
        }
    }

    /// Whether such a component is told what time it is.
    pub const fn tells_time(self) -> bool {
        matches!(self, Self::EphemeralResource)
    }
}

impl fmt::Display for PluginKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::KeyProvider => "key provider",
            Self::CredentialsHelper => "credentials helper",
            Self::EphemeralResource => "ephemeral resource",
        })
    }
}
