//! Skips tests whose programs are missing, visibly, unless `SLIPWAY_REQUIRE` demands the programs.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::process::parent_id;
use std::path::PathBuf;

use slipway_contracts::toolchain::ToolchainError;

use crate::node;
pub use slipway_contracts::toolchain::{TestBrowser, Tool};

/// Environment variable: `all`, or program names separated by commas, whose absence is a failure; `-NAME` removes one again.
const REQUIRE: &str = "SLIPWAY_REQUIRE";
/// Prefix of a run's file, next to its test programs: each skipped test adds a line with the reason, a tab and its name.
const SKIPPED: &str = "slipway-skipped-";

/// `Some` if all of these exist. If one is missing, the test is reported as skipped and should return.
///
/// # Panics
/// If the missing one is required.
#[must_use]
pub fn need(tools: &[Tool]) -> Option<()> {
    let missing = |tool: Tool| match tool {
        Tool::Node => node::folder().as_ref().err().cloned(),
        other => other.probe().err(),
    };
    let Some((tool, reason)) = tools.iter().find_map(|&tool| Some((tool, missing(tool)?))) else {
        return Some(());
    };
    skip(tool, &reason);
    None
}

/// The browser, which is downloaded if the machine has none. If that fails, the test is reported as skipped and should return.
///
/// # Panics
/// If it is required.
pub async fn need_browser() -> Option<TestBrowser> {
    let found = TestBrowser::locate().await;
    found.map_err(|error| skip(Tool::Chromium, &one_line(&error))).ok()
}

pub(crate) fn one_line(error: &ToolchainError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reports the running test as skipped because this program is missing.
///
/// # Panics
/// If it is required.
pub fn skip(tool: Tool, reason: &str) {
    let need = tool.need();
    let demanded = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!is_required(&demanded, need.name), "{REQUIRE}={demanded}: {reason}; {}", need.remedy);
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let why = format!("{reason}; {}", need.remedy);
    // Unlike `eprintln!`, not captured by the test runner.
    std::io::stderr().write_all(format!("skipped: {test}: {why}\n").as_bytes()).unwrap();
    let mut file = OpenOptions::new().create(true).append(true).open(skipped_file()).unwrap();
    file.write_all(format!("{why}\t{test}\n").as_bytes()).unwrap();
}

/// The test programs of one run are children of one cargo.
fn skipped_file() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!("{SKIPPED}{}", parent_id()))
}

/// The tests that this run has skipped so far, grouped by reason and remedy; also forgets them.
#[must_use]
pub fn take_skipped() -> String {
    let file = skipped_file();
    let lines = fs::read_to_string(&file).unwrap_or_default();
    // If nothing was skipped, the file does not exist.
    let _ = fs::remove_file(file);
    by_reason(&lines)
}

/// Formats these lines as a report.
fn by_reason(lines: &str) -> String {
    let mut tests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (why, test) in lines.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(why).or_default().insert(test);
    }
    let count: usize = tests.values().map(BTreeSet::len).sum();
    if count == 0 {
        return String::new();
    }
    let mut report = format!("{count} tests were skipped, though they count as passed:\n");
    for (why, tests) in tests {
        let tests: Vec<&str> = tests.into_iter().collect();
        let _ = writeln!(report, "  {why}\n    {}", tests.join("\n    "));
    }
    report
}

/// Whether this list demands a program.
fn is_required(list: &str, name: &str) -> bool {
    let mut required = false;
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let (demanded, word) = word.strip_prefix('-').map_or((true, word), |word| (false, word));
        let known = word == "all" || Tool::ALL.iter().any(|tool| tool.need().name == word);
        assert!(known, "{REQUIRE}: there is no {word}; docs/tests.md lists the programs");
        if word == "all" || word == name {
            required = demanded;
        }
    }
    required
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_demand_and_take_out() {
        assert!(!is_required("", "engine"));
        assert!(is_required("all", "engine"));
        assert!(!is_required("all,-engine", "engine"));
        assert!(is_required("all,-engine", "jq"));
        assert!(is_required("curl, jq", "jq"));
        assert!(!is_required("curl, jq", "engine"));
    }

    #[test]
    fn skipped_tests_are_reported_by_reason() {
        assert_eq!(by_reason(""), "");
        let lines =
            "no jq; install it\tb\nno curl; install it\tc\nno jq; install it\ta\nno jq; install it\tb\n";
        let report = by_reason(lines);
        assert_eq!(
            report,
            "3 tests were skipped, though they count as passed:\n  no curl; install it\n    c\n  no jq; install it\n    a\n    b\n"
        );
    }

    #[test]
    #[should_panic(expected = "there is no dokcer")]
    fn unknown_names_are_refused() {
        is_required("dokcer", "engine");
    }
}
