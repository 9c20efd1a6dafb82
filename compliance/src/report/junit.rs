//! JUnit's XML, which CI systems read.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{Verdict, reproduce};
use crate::check::{Finding, Judgement, Outcome};

/// The report as XML: a test suite for each component.
///
/// # Errors
/// [`SerializeError`] where the XML cannot be written.
pub fn render(verdicts: &[Verdict], strict: bool) -> Result<String, SerializeError> {
    let mut report = Report::new("keyhost compliance");
    for verdict in verdicts {
        let mut suite = TestSuite::new(verdict.component.as_str());
        match &verdict.result {
            Err(reason) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(reason.as_str());
                suite.add_test_case(TestCase::new("load", status));
            }
            Ok(judgements) => {
                for judgement in judgements {
                    suite.add_test_case(test_case(verdict, judgement, strict));
                }
            }
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn test_case(verdict: &Verdict, judgement: &Judgement, strict: bool) -> TestCase {
    let status = match &judgement.outcome {
        Outcome::Failed(findings) => failure(verdict, judgement, findings),
        Outcome::Warned(findings) if strict => failure(verdict, judgement, findings),
        Outcome::Passed(_) | Outcome::Warned(_) => TestCaseStatus::success(),
        Outcome::Skipped(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.as_str());
            status
        }
    };
    let mut case = TestCase::new(judgement.check.id, status);
    case.set_classname(judgement.check.suite.name());
    case.set_time(Duration::from_millis(judgement.milliseconds));
    if let Outcome::Warned(findings) = &judgement.outcome {
        case.set_system_out(described(findings));
    }
    case
}

fn failure(verdict: &Verdict, judgement: &Judgement, findings: &[Finding]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(judgement.check.demand);
    let alone = reproduce(verdict, judgement);
    status.set_description(format!("{}alone: {alone}", described(findings)));
    status
}

fn described(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(
            |Finding {
                 case,
                 expected,
                 came,
             }| format!("{case}: expected {expected}; came {came}\n"),
        )
        .collect()
}
