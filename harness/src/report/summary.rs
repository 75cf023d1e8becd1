//! The report as Markdown for the summary of a CI job. Texts of a target are escaped: they contain no Markdown and no HTML.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::difference;
use super::escape::{self, one_line};
use super::events::{Verdict, Word};
use super::text::sum;
use super::{Report, seconds, worst};
use crate::terminal::colour::Colour;

/// GitHub refuses a summary of more than 1 MiB; this leaves some room for what the job wrote before.
const LIMIT: usize = 900_000;
/// Maximum characters shown of one value.
const SHOWN: usize = 1_000;

/// The whole text, ending in a line break and never longer than the limit.
pub(super) fn render(report: &Report) -> String {
    let mut text = format!(
        "## Conformance: {}\n\n{}\n\n{}; seed {}, {}\n\n| section | clauses | passed | failed | other |\n|---|--:|--:|--:|--:|\n",
        report.headline().title().to_lowercase(),
        code(&report.sentence()),
        sum(report, Colour::never()),
        report.run.seed,
        seconds(report.end.took),
    );
    for section in &report.run.sections {
        let verdicts = || section.clauses.iter().flat_map(|clause| report.of_clause(clause));
        let count = |word: Word| verdicts().filter(|verdict| verdict.verdict == word).count();
        let (all, passed, failed) = (verdicts().count(), count(Word::Passed), count(Word::Failed));
        let sign = if worst(verdicts()) == Some(Word::Failed) { "❌ " } else { "" };
        let other = all - passed - failed;
        let clauses = section.clauses.len();
        let _ =
            writeln!(text, "| {sign}{} | {clauses} | {passed} | {failed} | {other} |", code(&section.title));
    }
    for entry in &report.end.stale {
        let _ = writeln!(text, "\nStale baseline: {}", code(entry));
    }
    for entry in &report.end.expired {
        let _ = writeln!(text, "\nExpired baseline: {}", code(entry));
    }
    let mut bad = report
        .verdicts
        .iter()
        .filter(|verdict| matches!(verdict.verdict, Word::Failed | Word::Inconclusive))
        .peekable();
    if bad.peek().is_some() {
        text.push_str("\n### Failures\n");
    }
    let not_judged = not_judged(report);
    let mut left_out = 0;
    for verdict in bad {
        let details = detail(verdict);
        if text.len() + details.len() + not_judged.len() < LIMIT {
            text.push_str(&details);
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\n{left_out} more are in the other reports.");
    }
    text.push_str(&not_judged);
    text
}

/// The statements that were not judged, by reason.
fn not_judged(report: &Report) -> String {
    let mut by_reason = BTreeMap::<String, Vec<String>>::new();
    let statements = report.scope().not_judged;
    for (statement, reason) in &statements {
        by_reason.entry(reason.clone()).or_default().push(statement.clone());
    }
    let mut text = String::new();
    if !by_reason.is_empty() {
        let _ = writeln!(text, "\n<details><summary>{} statements not judged</summary>\n", statements.len());
        for (reason, mut statements) in by_reason {
            // S2 is before S10.
            statements.sort_by_key(|id| (id.len(), id.clone()));
            let _ = writeln!(text, "- {}: {}", statements.join(", "), code(&reason));
        }
        text.push_str("\n</details>\n");
    }
    text
}

fn detail(verdict: &Verdict) -> String {
    let mut text =
        format!("\n<details><summary>{} {}</summary>\n\n", verdict.verdict.as_str(), code(&verdict.check));
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "- {name}: {value}");
    };
    if let Some(reason) = &verdict.reason {
        row("reason", &code(reason));
    }
    if let Some(failure) = &verdict.failure {
        let (expected, actual) = difference::pieces(&failure.expected, &failure.actual);
        let marked = |pieces: &[difference::Piece]| -> String {
            let piece = |piece: &difference::Piece| {
                let text = code(&piece.text);
                if piece.differs { format!("<b>{text}</b>") } else { text }
            };
            pieces.iter().map(piece).collect()
        };
        row("clause", &code(&failure.clause));
        row("expected", &marked(&expected));
        row("actual", &marked(&actual));
        row("reproduce", &code(&failure.reproduce));
        row("replay", &code(&failure.replay));
    }
    text.push_str("\n</details>\n");
    text
}

/// One line of code whose content is neither Markdown nor HTML.
fn code(text: &str) -> String {
    let line = one_line(text);
    let shown: String = line.chars().take(SHOWN).collect();
    let cut = if shown.len() < line.len() { "…" } else { "" };
    let escaped = escape::escaped(&shown);
    // Characters with a meaning in Markdown even inside an element.
    let inert: String = escaped
        .chars()
        .map(|letter| match letter {
            '|' | '`' | '*' | '_' | '[' | ']' | '!' | '@' | '#' | '\\' | '~' | '$' | ':' => {
                format!("&#{};", u32::from(letter))
            }
            other => other.to_string(),
        })
        .collect();
    // Entities such as `&#39;` were escaped before; their number sign must stay.
    format!("<code>{}{cut}</code>", inert.replace("&&#35;", "&#"))
}
