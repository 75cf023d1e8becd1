//! The report as JUnit XML: a suite per section of the interface, a case per check.
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::escape::visible;
use super::events::{Run, Verdict, Word};
use super::{Report, ReportError};

pub(super) fn render(report: &Report) -> Result<String, ReportError> {
    let mut junit = Junit::new("slipway");
    junit.set_time(Duration::from_micros(report.end.took));
    for section in &report.run.sections {
        let mut suite = TestSuite::new(section.title.as_str());
        suite.add_properties(properties(&report.run));
        suite.add_property(("headline", report.headline().title()));
        suite.add_property(("verdict", report.sentence().as_str()));
        for clause in &section.clauses {
            for verdict in report.of_clause(clause) {
                let mut case = case(verdict);
                case.set_classname(clause.id.as_str());
                case.add_property(("clause", clause.id.as_str()));
                case.add_property(("binding", clause.binding.as_str()));
                if let Some(statements) = &verdict.statements {
                    case.add_property(("statements", statements.join(", ").as_str()));
                }
                case.add_property(("exchanges", verdict.exchanges.to_string().as_str()));
                suite.add_test_case(case);
            }
        }
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| ReportError::Junit { reason: error.to_string() })
}

fn properties(run: &Run) -> Vec<(String, String)> {
    let mut properties = vec![
        ("tool", format!("{} {}", run.tool.name, run.tool.version)),
        ("interface", run.interface.clone()),
        ("seed", run.seed.to_string()),
        ("lane", run.lane.clone()),
        ("replay", run.replay.clone()),
    ];
    let target = &run.target;
    for (name, address) in [("rest", &target.rest), ("swap", &target.swap), ("control", &target.control)] {
        properties.extend(address.iter().map(|address| (name, address.clone())));
    }
    properties.extend(target.rpc.iter().map(|(chain, address)| ("rpc", format!("{chain}={address}"))));
    properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn case(verdict: &Verdict) -> TestCase {
    let reason = visible(verdict.reason.as_deref().unwrap_or_default());
    let status = match (verdict.verdict, &verdict.failure) {
        (Word::Failed, Some(failure)) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type(failure.clause.as_str())
                .set_message(visible(&format!("expected {}, got {}", failure.expected, failure.actual)))
                .set_description(visible(&format!(
                    "reproduce: {}\nreplay: {}",
                    failure.reproduce, failure.replay
                )));
            status
        }
        (Word::Passed, _) => TestCaseStatus::success(),
        (Word::Skipped, _) => skipped(reason),
        (Word::Known, Some(failure)) => {
            skipped(format!("known to the baseline: expected {}", failure.expected))
        }
        (Word::Difference, Some(failure)) => {
            skipped(format!("differs where the interface leaves it open: {}", failure.expected))
        }
        _ => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(reason);
            status
        }
    };
    let mut case = TestCase::new(verdict.check.as_str(), status);
    case.set_time(Duration::from_micros(verdict.took));
    case
}

fn skipped(reason: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(visible(&reason));
    status
}
