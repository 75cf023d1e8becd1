//! The report as JUnit XML: a suite per section of the interface, a case per check; valid by the schema of Jenkins' xUnit plugin.
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::escape::visible;
use super::events::{ClauseInfo, Run, Verdict, Word};
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
                // The schema knows properties of a suite only.
                case.set_system_out(output(clause, verdict));
                suite.add_test_case(case);
            }
        }
        junit.add_test_suite(suite);
    }
    let written = junit.to_string().map_err(|error| ReportError::Junit { reason: error.to_string() })?;
    // The schema does not know this attribute of the root, which is written first.
    Ok(written.replacen(&format!(" skipped=\"{}\"", junit.skipped), "", 1))
}

fn output(clause: &ClauseInfo, verdict: &Verdict) -> String {
    let mut text = format!("clause: {}\nbinding: {}\n", clause.id, clause.binding);
    if let Some(statements) = &verdict.statements {
        text.push_str(&format!("statements: {}\n", statements.join(", ")));
    }
    text + &format!("exchanges: {}\n", verdict.exchanges)
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
    let reason = || verdict.reason.clone().unwrap_or_default();
    let status = match (verdict.verdict, &verdict.failure) {
        (Word::Passed, _) => TestCaseStatus::success(),
        (Word::Failed, Some(failure)) => {
            let commands = format!("\nreproduce: {}\nreplay: {}", failure.reproduce, failure.replay);
            let message = format!("expected {}, got {}", failure.expected, failure.actual);
            let mut status = told(TestCaseStatus::non_success(NonSuccessKind::Failure), &message, &commands);
            status.set_type(failure.clause.as_str());
            status
        }
        (Word::Skipped, _) => told(TestCaseStatus::skipped(), &reason(), ""),
        (Word::Known, Some(failure)) => {
            let message = format!("known to the baseline: expected {}", failure.expected);
            told(TestCaseStatus::skipped(), &message, "")
        }
        (Word::Difference, Some(failure)) => {
            let message = format!("differs where the interface leaves it open: {}", failure.expected);
            told(TestCaseStatus::skipped(), &message, "")
        }
        _ => told(TestCaseStatus::non_success(NonSuccessKind::Error), &reason(), ""),
    };
    let mut case = TestCase::new(verdict.check.as_str(), status);
    case.set_time(Duration::from_micros(verdict.took));
    case
}

/// The status with a message, which is also its text, with more below: some readers show the one (Jenkins), some the other (GitLab).
fn told(mut status: TestCaseStatus, message: &str, more: &str) -> TestCaseStatus {
    let message = visible(message);
    status.set_description(format!("{message}{}", visible(more))).set_message(message);
    status
}

#[cfg(test)]
mod tests {
    use super::super::events::Word;
    use super::super::tests::judged;
    use super::render;

    /// The schema with which Jenkins' xUnit plugin refuses a file (`junit-10.xsd`) has these children of a case and attributes of the root;
    /// GitLab shows the text of an element, not its message.
    #[test]
    fn files_are_valid_for_jenkins_and_gitlab_shows_what_was_expected() {
        const CHILDREN: [&str; 5] = ["skipped", "error", "failure", "system-out", "system-err"];
        const ATTRIBUTES: [&str; 5] = ["name", "time", "tests", "failures", "errors"];
        for words in [[Word::Failed, Word::Skipped], [Word::Passed, Word::Inconclusive]] {
            let xml = render(&judged(words, &[])).unwrap();
            let (_, root) = xml.split_once("<testsuites ").unwrap();
            let (root, _) = root.split_once('>').unwrap();
            let names =
                root.split("\" ").filter_map(|attribute| attribute.split_once('=')).map(|(name, _)| name);
            let names: Vec<&str> = names.collect();
            assert_eq!(names.len(), 5, "{root}");
            assert!(names.iter().all(|name| ATTRIBUTES.contains(name)), "{root}");
            let cases: Vec<&str> = xml.split("<testcase ").skip(1).collect();
            assert_eq!(cases.len(), 2);
            for case in cases {
                let (case, _) = case.split_once("</testcase>").unwrap();
                for child in case.split('<').skip(1).filter(|child| !child.starts_with('/')) {
                    let name = child.split([' ', '>', '/']).next().unwrap();
                    assert!(CHILDREN.contains(&name), "{case}");
                }
                assert!(case.contains("<system-out>clause: CLAUSE-"), "{case}");
            }
            if words[0] == Word::Failed {
                assert!(xml.contains(">expected name = &quot;token&quot;, got \nreproduce: curl"), "{xml}");
                assert!(xml.contains(">the target has not been given it</skipped>"), "{xml}");
            }
        }
    }
}
