//! Failures and errors of `check` as annotations of GitHub Actions, if this runs in one; undecided checks as warnings, one for each reason.
use super::Report;
use super::escape::visible;
use super::events::Word;

/// GitHub shows ten errors per step; more are dropped.
const MOST: usize = 10;
/// Maximum characters of an error, which may quote a file of any size; GitHub cuts a message at 64 KiB.
const MOST_OF_ERROR: usize = 2_000;

/// Whether this runs in a job of GitHub Actions.
pub(crate) fn wanted() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Workflow commands, one per line; empty without failures.
pub(crate) fn render(report: &Report) -> String {
    let of_word = |word| report.verdicts.iter().filter(move |verdict| verdict.verdict == word);
    let failed: Vec<_> = of_word(Word::Failed).collect();
    let shown = if failed.len() > MOST { MOST - 1 } else { failed.len() };
    let mut text = String::new();
    for verdict in &failed[..shown] {
        let Some(failure) = &verdict.failure else { continue };
        let title = property(&format!("{} ({})", verdict.check, failure.clause));
        let message =
            data(&format!("expected {}\nactual {}\n{}", failure.expected, failure.actual, failure.replay));
        text.push_str(&format!("::error title={title}::{message}\n"));
    }
    if failed.len() > shown {
        text.push_str(&format!("::error title=conformance::{} more checks failed\n", failed.len() - shown));
    }
    // A target that does not answer leaves many checks without a verdict for one reason.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for verdict in of_word(Word::Inconclusive) {
        let reason = verdict.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, checks)) => checks.push(&verdict.check),
            None => reasons.push((reason, vec![&verdict.check])),
        }
    }
    for (reason, checks) in reasons.iter().take(MOST) {
        let title = match checks[..] {
            [check] => property(check),
            _ => format!("{} checks without a verdict", checks.len()),
        };
        text.push_str(&format!("::warning title={title}::{}\n", data(reason)));
    }
    text
}

/// The error that ends a command which has no report.
pub(crate) fn of_error(error: &str) -> String {
    format!("::error title=slipway::{}", data(&error.chars().take(MOST_OF_ERROR).collect::<String>()))
}

/// Escapes a text as the GitHub Actions toolkit does.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
