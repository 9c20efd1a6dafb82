//! Telling people and machines what was found.

pub mod json;
pub mod junit;
pub mod text;

use crate::check::{Judgement, Outcome};

/// One component and what came of it.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The component's file.
    pub component: String,
    /// The case file that was named for it, where it is not the one beside it.
    pub cases: Option<String>,
    /// What its checks found, or why it could not be loaded.
    pub result: Result<Vec<Judgement>, String>,
}

impl Verdict {
    /// Whether every check holds; with `strict`, without warnings.
    pub fn holds(&self, strict: bool) -> bool {
        self.result.as_ref().is_ok_and(|judgements| {
            judgements.iter().all(|judgement| match judgement.outcome {
                Outcome::Failed(_) => false,
                Outcome::Warned(_) => !strict,
                _ => true,
            })
        })
    }
}

/// How to run one check alone.
fn reproduce(verdict: &Verdict, judgement: &Judgement) -> String {
    let cases = verdict.cases.as_deref();
    let cases = cases.map_or_else(String::new, |cases| format!(" --cases {cases}"));
    let (component, id) = (&verdict.component, judgement.check.id);
    format!("keyhost compliance {component}{cases} --suite {id}")
}
