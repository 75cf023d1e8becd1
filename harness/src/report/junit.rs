//! The report as JUnit XML: a suite per section of the interface, a case per check.
use std::collections::BTreeMap;
use std::path::Path;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use crate::runner::{Finished, Outcome};

/// Writing the file failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JunitError {
    #[error("the JUnit report {path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error("the JUnit report cannot be formed: {reason}")]
    Malformed { reason: String },
}

/// Writes the report to `path`.
pub(crate) fn write(report: &Report, path: &Path) -> Result<(), JunitError> {
    let text =
        render(report).to_string().map_err(|error| JunitError::Malformed { reason: error.to_string() })?;
    std::fs::write(path, text)
        .map_err(|source| JunitError::Unwritable { path: path.display().to_string(), source })
}

fn render(report: &Report) -> Junit {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for finished in &report.finished {
        let section = finished.check.clause.section();
        suites
            .entry(section)
            .or_insert_with(|| TestSuite::new(section))
            .add_test_case(case(report, finished));
    }
    let mut junit = Junit::new("slipway");
    junit.add_test_suites(suites.into_values());
    junit
}

fn case(report: &Report, finished: &Finished) -> TestCase {
    let status = match &finished.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed(failure) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type(failure.clause)
                .set_message(format!("expected {}, got {}", failure.expected, failure.actual));
            status.set_description(format!(
                "reproduce: {}\nreplay: {}",
                failure.reproduce,
                report.replay(finished.check.id)
            ));
            status
        }
        Outcome::Inconclusive(reason) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(reason.clone());
            status
        }
        Outcome::Skipped(reason) => skipped(reason.clone()),
        Outcome::ImplementationDefined(failure) => {
            skipped(format!("differs where the interface leaves it open: {}", failure.expected))
        }
        Outcome::Known(failure) => skipped(format!("known to the baseline: expected {}", failure.expected)),
    };
    let mut case = TestCase::new(finished.check.id, status);
    case.set_time(finished.took);
    case
}

fn skipped(reason: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(reason);
    status
}
