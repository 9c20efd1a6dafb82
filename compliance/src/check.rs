//! Checks and what came of them.

use crate::subject::Kind;

/// A group of checks, as `--suite` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suite {
    /// What the component says of itself.
    Descriptor,
    /// Configurations that decode, and that do not.
    Parsing,
    /// Configurations that build, and that do not.
    Build,
    /// Stored metadata.
    Metadata,
    /// Keys.
    Provide,
    /// Whether the author wrote the cases that matter.
    Completeness,
    /// Metadata that an attacker wrote.
    HostileMetadata,
    /// Secrets where they do not belong.
    Leaks,
    /// State where none may be.
    Isolation,
    /// Imports, memory and instructions.
    Limits,
    /// The credentials helper protocol.
    Credentials,
    /// Tokens where they do not belong.
    CredentialsLeaks,
    /// Open, renew and close.
    Ephemeral,
    /// Values where they do not belong.
    EphemeralLeaks,
}

impl Suite {
    /// Every suite, in the order in which they run.
    pub const ALL: [Self; 14] = [
        Self::Descriptor,
        Self::Parsing,
        Self::Build,
        Self::Metadata,
        Self::Provide,
        Self::Completeness,
        Self::HostileMetadata,
        Self::Leaks,
        Self::Isolation,
        Self::Limits,
        Self::Credentials,
        Self::CredentialsLeaks,
        Self::Ephemeral,
        Self::EphemeralLeaks,
    ];

    /// The name, the first part of its checks' identifiers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Descriptor => "descriptor",
            Self::Parsing => "parsing",
            Self::Build => "build",
            Self::Metadata => "metadata",
            Self::Provide => "provide",
            Self::Completeness => "completeness",
            Self::HostileMetadata => "hostile-metadata",
            Self::Leaks => "leaks",
            Self::Isolation => "isolation",
            Self::Limits => "limits",
            Self::Credentials => "credentials",
            Self::CredentialsLeaks => "credentials-leaks",
            Self::Ephemeral => "ephemeral",
            Self::EphemeralLeaks => "ephemeral-leaks",
        }
    }

    /// The kind of plugin that all its checks are for; `None` where a check can
    /// be for each.
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::Metadata
            | Self::Provide
            | Self::HostileMetadata
            | Self::Leaks
            | Self::Isolation => Some(Kind::KeyProvider),
            Self::Credentials | Self::CredentialsLeaks => Some(Kind::CredentialsHelper),
            Self::Ephemeral | Self::EphemeralLeaks => Some(Kind::EphemeralResource),
            Self::Descriptor | Self::Parsing | Self::Build | Self::Completeness | Self::Limits => {
                None
            }
        }
    }
}

/// One check. Its identifier is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// `suite/name`.
    pub id: &'static str,
    /// The suite.
    pub suite: Suite,
    /// What it demands, and why, in one sentence.
    pub demand: &'static str,
    /// Whether a finding is a failure; else it is a warning.
    pub fails: bool,
    /// The kind of plugin that it is for; `None` is each.
    pub kind: Option<Kind>,
}

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The case, or what was given.
    pub case: String,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub came: String,
}

impl Finding {
    pub(crate) fn new(
        case: impl Into<String>,
        expected: impl Into<String>,
        came: impl Into<String>,
    ) -> Self {
        Self {
            case: case.into(),
            expected: expected.into(),
            came: came.into(),
        }
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was found; the text says what was looked at.
    Passed(String),
    /// Something was found.
    Failed(Vec<Finding>),
    /// Something was found that does not fail a component.
    Warned(Vec<Finding>),
    /// It could not be run, for a reason.
    Skipped(String),
}

/// A check and how it ended.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The check.
    pub check: Check,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}
