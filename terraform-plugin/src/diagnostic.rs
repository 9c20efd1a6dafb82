//! What terraform shows to its user.

use crate::proto::tfplugin6;
use crate::proto::tfplugin6::attribute_path::{Step, step::Selector};

/// Whether a diagnostic fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The operation failed.
    Error,
    /// The operation succeeded; the user should know something.
    Warning,
}

/// A message to the user of terraform. It is printed and logged: it must hold no
/// secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it fails the run.
    pub severity: Severity,
    /// One line, without a full stop.
    pub summary: String,
    /// Sentences that say what to do about it; may be empty.
    pub detail: String,
    /// The attribute of the configuration that is meant, if it is one.
    pub attribute: Option<String>,
}

impl Diagnostic {
    /// An error about no attribute in particular.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            attribute: None,
        }
    }

    /// A warning about no attribute in particular.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(summary, detail)
        }
    }

    /// The same, about an attribute of the configuration.
    #[must_use]
    pub fn about(mut self, attribute: impl Into<String>) -> Self {
        self.attribute = Some(attribute.into());
        self
    }
}

/// In one line, for a log.
impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.summary)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl From<Diagnostic> for tfplugin6::Diagnostic {
    fn from(diagnostic: Diagnostic) -> Self {
        use tfplugin6::diagnostic::Severity as Wire;
        let severity = match diagnostic.severity {
            Severity::Error => Wire::Error,
            Severity::Warning => Wire::Warning,
        };
        Self {
            severity: severity.into(),
            summary: diagnostic.summary,
            detail: diagnostic.detail,
            attribute: diagnostic.attribute.map(|name| tfplugin6::AttributePath {
                steps: vec![Step {
                    selector: Some(Selector::AttributeName(name)),
                }],
            }),
        }
    }
}

/// For the wire.
pub(crate) fn to_wire(diagnostics: Vec<Diagnostic>) -> Vec<tfplugin6::Diagnostic> {
    diagnostics.into_iter().map(Into::into).collect()
}

/// What a failed call reports: with an error in it, since without one the client
/// would take the call for a success.
pub(crate) fn of_failure(mut diagnostics: Vec<Diagnostic>, summary: &str) -> Vec<Diagnostic> {
    let has_error = |d: &Diagnostic| d.severity == Severity::Error;
    if !diagnostics.iter().any(has_error) {
        diagnostics.push(Diagnostic::error(summary, "The provider gave no reason."));
    }
    diagnostics
}
