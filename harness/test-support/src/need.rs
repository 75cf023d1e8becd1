//! What a test does on a machine that lacks a program it needs: it is skipped, loudly, unless `SLIPWAY_REQUIRE` demands the program.
use std::fs::OpenOptions;
use std::io::Write as _;

use slipway_contracts::toolchain::ToolchainError;
pub use slipway_contracts::toolchain::{TestBrowser, Tool};

/// Environment variable: `all`, or names of programs with commas between, whose absence is a failure; `-NAME` takes one out again.
const REQUIRE: &str = "SLIPWAY_REQUIRE";
/// Environment variable: a file to which each skipped test adds a line, so that a run can count and name them at its end.
const SKIPPED: &str = "SLIPWAY_SKIPPED";

/// Whether all of these are there. Where one is missing the test is reported as skipped and should return.
///
/// # Panics
/// When the missing one is required.
#[must_use]
pub fn need(tools: &[Tool]) -> bool {
    let missing = tools.iter().find_map(|tool| tool.probe().err().map(|reason| (*tool, reason)));
    if let Some((tool, reason)) = &missing {
        skip(*tool, reason);
    }
    missing.is_none()
}

/// The browser, which is fetched where the machine has none. Where that fails the test is reported as skipped and should return.
///
/// # Panics
/// When it is required.
pub async fn need_browser() -> Option<TestBrowser> {
    let found = TestBrowser::locate().await;
    let reason = |error: ToolchainError| error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    found.map_err(|error| skip(Tool::Chromium, &reason(error))).ok()
}

/// Reports the running test as skipped for the lack of this.
///
/// # Panics
/// When it is required.
pub fn skip(tool: Tool, reason: &str) {
    let need = tool.need();
    let demanded = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!is_required(&demanded, need.name), "{REQUIRE}={demanded}: {reason}; {}", need.remedy);
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}; {}\n", thread.name().unwrap_or("a test"), need.remedy);
    // Not captured by the test runner, unlike what `eprintln!` writes.
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    if let Some(file) = std::env::var_os(SKIPPED) {
        let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}

/// Whether such a list demands a program.
fn is_required(list: &str, name: &str) -> bool {
    let mut required = false;
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let (demanded, word) = word.strip_prefix('-').map_or((true, word), |word| (false, word));
        let known = word == "all" || Tool::ALL.iter().any(|tool| tool.need().name == word);
        assert!(known, "{REQUIRE}: there is no {word}; `slipway doctor --tests` lists the programs");
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
    #[should_panic(expected = "there is no dokcer")]
    fn unknown_names_are_refused() {
        is_required("dokcer", "engine");
    }
}
