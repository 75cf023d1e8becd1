//! The text report: a line for each section, the skipped checks, failures with how to reproduce them, the totals.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::count::counted;
use super::difference::{self, Piece};
use super::escape::one_line;
use super::events::{Exchange, ExchangeKind, Section, Verdict, Word};
use super::missing::{Missing, missing};
use super::scope::is_decided;
use super::{Report, seconds, worst};
use crate::terminal::colour::Colour;
use crate::terminal::table::{columns, details};

/// Maximum lines of an exchange that are shown, and characters of each.
const SHOWN_LINES: usize = 12;
const SHOWN_LETTERS: usize = 600;

/// Maximum characters of a difference on one line.
const SHOWN_OF_DIFFERENCE: usize = 160;
/// Longest command line that is repeated for each failure.
const SHORT_REPLAY: usize = 60;
/// Maximum reasons shown if no check reached a verdict.
const MOST_REASONS: usize = 3;

/// The whole text, ending in a line break.
pub(crate) fn render(report: &Report, colour: Colour) -> String {
    let mut text = String::new();
    if report.counts().inconclusive > 0 && !report.verdicts.iter().any(is_decided) {
        undecided(report, &mut text);
        totals(report, colour, &mut text);
        return text;
    }
    let rows =
        report.run.sections.iter().map(|section| [section.title.clone(), tallies(report, section, colour)]);
    text.push_str(&columns(rows, None));
    without(report, &mut text);
    for entry in &report.end.stale {
        let _ = writeln!(text, "{} {entry}", colour.doubtful("STALE BASELINE"));
    }
    for entry in &report.end.expired {
        let _ = writeln!(text, "{} {entry}", colour.doubtful("EXPIRED BASELINE"));
    }
    let missing = missing(&report.verdicts, &report.exchanges);
    let mut found = String::new();
    for word in [Word::Known, Word::Inconclusive] {
        of_word(report, word, &missing, colour, &mut found);
    }
    missing_endpoints(report, &missing, colour, &mut found);
    of_word(report, Word::Failed, &missing, colour, &mut found);
    if report.all_differences {
        of_word(report, Word::Difference, &missing, colour, &mut found);
    } else {
        differences(report, colour, &mut found);
    }
    if found.contains("\n  replay:") && report.run.replay.len() > SHORT_REPLAY {
        let _ = writeln!(text, "\n{REPEATED}() {{ {} \"$@\"; }}", report.run.replay);
    }
    text.push_str(&found);
    totals(report, colour, &mut text);
    text
}

/// Stands in for a long command line of the run: a function of the shell, which keeps the quotes of its words.
const REPEATED: &str = "RUN";

/// The command line that runs a check again; a long one is shortened to [`REPEATED`].
fn replay(report: &Report, check: &str) -> String {
    let run = if report.run.replay.len() > SHORT_REPLAY { REPEATED } else { &report.run.replay };
    format!("{run} --only {check}")
}

/// The endpoints that the target does not have, each with the checks that failed by it.
fn missing_endpoints(report: &Report, missing: &Missing<'_>, colour: Colour, text: &mut String) {
    for ((endpoint, status), verdicts) in missing {
        let ids: Vec<&str> = verdicts.iter().map(|verdict| verdict.check.as_str()).collect();
        let failure = verdicts.iter().find_map(|verdict| verdict.failure.as_ref());
        let rows = [
            ("checks", ids.join(", ")),
            ("reproduce", failure.map(|failure| one_line(&failure.reproduce)).unwrap_or_default()),
            ("replay", replay(report, ids[0])),
        ];
        let (title, count) = (colour.of(Word::Failed, "FAILED"), counted(ids.len(), "check"));
        let rows = details(rows);
        let _ = writeln!(text, "\n{title} {endpoint} is not there ({status}): {count}\n{}", rows.trim_end());
    }
}

/// The checks with this verdict, in full, without those that failed by a missing endpoint.
fn of_word(report: &Report, word: Word, missing: &Missing<'_>, colour: Colour, text: &mut String) {
    let is_told = |verdict: &Verdict| missing.values().flatten().any(|told| told.check == verdict.check);
    for verdict in report.verdicts.iter().filter(|verdict| verdict.verdict == word && !is_told(verdict)) {
        let alike = alike(report, verdict);
        // Checks that one cause left without a verdict are reported once.
        if alike.first().is_none_or(|first| first.check == verdict.check) {
            detail(report, verdict, &alike, colour, text);
        }
    }
}

/// Differences from choices, one line for each check.
fn differences(report: &Report, colour: Colour, text: &mut String) {
    let of_word = report.verdicts.iter().filter(|verdict| verdict.verdict == Word::Difference);
    let found: Vec<_> = of_word.filter_map(|verdict| Some((verdict, verdict.failure.as_ref()?))).collect();
    if found.is_empty() {
        return;
    }
    let _ = writeln!(text, "\ndiffers where the interface leaves it open (--differences shows all of it):");
    for (verdict, failure) in found {
        let line = one_line(&format!("expected {}; actual {}", failure.expected, failure.actual));
        let title = colour.of(Word::Difference, &verdict.check);
        let _ = writeln!(text, "  {title}: {}", shortened_to(&line, SHOWN_OF_DIFFERENCE));
    }
}

/// The reasons of a run in which no check reached a verdict, and what to do.
fn undecided(report: &Report, text: &mut String) {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for verdict in report.verdicts.iter().filter(|verdict| verdict.verdict == Word::Inconclusive) {
        *reasons.entry(verdict.reason.as_deref().unwrap_or_default()).or_default() += 1;
    }
    for (reason, count) in reasons.iter().take(MOST_REASONS) {
        let _ = writeln!(text, "{} without a verdict: {}", counted(*count, "check"), one_line(reason));
    }
    if let Some(others) = reasons.len().checked_sub(MOST_REASONS).filter(|others| *others > 0) {
        let _ = writeln!(text, "{} more are in the other reports", counted(others, "reason"));
    }
    let _ = writeln!(
        text,
        "is it running, and at this address? `--wait SECONDS` waits for a target that is starting"
    );
}

fn totals(report: &Report, colour: Colour, text: &mut String) {
    let _ =
        writeln!(text, "\n{}; seed {}, {}", sum(report, colour), report.run.seed, seconds(report.end.took));
    text.push_str(&not_judged(report));
    let sentence = report.sentence();
    let _ = writeln!(text, "{}", if report.counts().failed > 0 { colour.bad(&sentence) } else { sentence });
}

/// How many statements were not judged, and which reports give the reasons.
fn not_judged(report: &Report) -> String {
    let scope = report.scope();
    let never = scope.not_judged.keys().filter(|id| report.run.not_judged.contains_key(*id)).count();
    let undecided = scope.not_judged.len() - never;
    let untestable = scope.statements - scope.testable;
    let never = never.saturating_sub(untestable);
    let mut parts = Vec::new();
    if undecided > 0 {
        parts.push(format!("{} whose checks reached no verdict", counted(undecided, "statement")));
    }
    if never > 0 {
        parts.push(format!("{} that no selected check tests", counted(never, "statement")));
    }
    if untestable > 0 {
        parts.push(format!("{} that cannot be tested", counted(untestable, "statement")));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("not judged: {}; --html, --summary and --json say why\n", parts.join(", "))
}

/// The number of checks for each verdict.
pub(crate) fn sum(report: &Report, colour: Colour) -> String {
    let counts = report.counts();
    let mut sum = format!("{} passed, ", counts.passed);
    let failed = format!("{} failed", counts.failed);
    sum.push_str(&if counts.failed > 0 { colour.bad(&failed) } else { failed });
    let _ = write!(sum, ", {} skipped", counts.skipped);
    for (count, word) in [
        (counts.inconclusive, "inconclusive"),
        (counts.differences, if counts.differences == 1 { "difference" } else { "differences" }),
        (counts.known, if counts.known == 1 { "known failure" } else { "known failures" }),
    ] {
        if count > 0 {
            let _ = write!(sum, ", {count} {word}");
        }
    }
    sum
}

/// Clauses by the worst of their checks, and checks, for each verdict: `15 clauses, 16 checks passed; 1 clause, 1 check failed`.
fn tallies(report: &Report, section: &Section, colour: Colour) -> String {
    const ORDER: [Word; 6] =
        [Word::Passed, Word::Difference, Word::Known, Word::Skipped, Word::Inconclusive, Word::Failed];
    let tally = |word: Word| {
        let of_word = |verdict: &&Verdict| verdict.verdict == word;
        let clauses =
            section.clauses.iter().filter(|clause| worst(report.of_clause(clause)) == Some(word)).count();
        let checks: usize =
            section.clauses.iter().map(|clause| report.of_clause(clause).filter(of_word).count()).sum();
        let text = match clauses {
            0 => format!("{} {}", counted(checks, "check"), word.as_str()),
            _ => format!("{}, {} {}", counted(clauses, "clause"), counted(checks, "check"), word.as_str()),
        };
        (checks > 0).then(|| colour.of(word, &text))
    };
    ORDER.into_iter().filter_map(tally).collect::<Vec<_>>().join("; ")
}

/// The checks that were skipped or judged less, grouped by what was missing.
fn without(report: &Report, text: &mut String) {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    let mut add = |reason: String, check| match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, ids)) => ids.push(check),
        None => reasons.push((reason, vec![check])),
    };
    for verdict in report.verdicts.iter().filter(|verdict| verdict.verdict == Word::Skipped) {
        let reason = verdict.reason.as_deref().unwrap_or_default();
        add(format!("skipped because {}", one_line(reason)), &verdict.check);
    }
    for verdict in report.verdicts.iter().filter(|verdict| !verdict.lacking.is_empty()) {
        add(format!("judged less without {}", verdict.lacking.join(", ")), &verdict.check);
    }
    for (reason, ids) in reasons {
        let _ = writeln!(text, "\n{reason}:\n  {}", ids.join(", "));
    }
}

/// The inconclusive checks with the same reason as this one, including itself; empty for any other verdict.
fn alike<'r>(report: &'r Report, verdict: &Verdict) -> Vec<&'r Verdict> {
    let is_alike = |other: &&Verdict| other.verdict == Word::Inconclusive && other.reason == verdict.reason;
    let all = if verdict.verdict == Word::Inconclusive { report.verdicts.iter() } else { [].iter() };
    all.filter(is_alike).collect()
}

fn detail(report: &Report, verdict: &Verdict, alike: &[&Verdict], colour: Colour, text: &mut String) {
    let title = colour.of(verdict.verdict, &verdict.verdict.as_str().to_uppercase());
    let others: Vec<&str> = alike.iter().skip(1).map(|other| other.check.as_str()).collect();
    let mut rows = Vec::new();
    let mut line = |name: &'static str, value: &str| rows.push((name, value.to_owned()));
    if let Some(reason) = &verdict.reason {
        line("reason", &one_line(reason));
        if !others.is_empty() {
            line("also", &others.join(", "));
        }
        line("replay", &replay(report, &verdict.check));
    }
    if let Some(known) = &verdict.known {
        let since = known.since.as_ref().map(|since| format!(", since {since}")).unwrap_or_default();
        let until = known.until.as_ref().map(|until| format!(", forgiven until {until}")).unwrap_or_default();
        line("known", &one_line(&format!("{}{since}{until}", known.reason)));
    }
    if let Some(failure) = &verdict.failure {
        let (expected, actual) = difference::pieces(&failure.expected, &failure.actual);
        line("clause", &failure.clause);
        line("expected", &marked(&expected, colour));
        line("actual", &marked(&actual, colour));
        line("reproduce", &one_line(&failure.reproduce));
        line("replay", &replay(report, &verdict.check));
    }
    let _ = writeln!(text, "\n{title} {}\n{}", verdict.check, details(rows).trim_end());
    if verdict.verdict == Word::Failed
        && let Some(failure) = &verdict.failure
        && let Some(exchange) = report.evidence(verdict)
    {
        self::exchange(exchange, &failure.expected, &failure.actual, colour, text);
    }
}

fn exchange(exchange: &Exchange, expected: &str, actual: &str, colour: Colour, text: &mut String) {
    let what = match exchange.kind {
        ExchangeKind::Http => "exchange",
        ExchangeKind::Rpc => "RPC call",
        ExchangeKind::Tool => "tool call",
    };
    let number = exchange.number;
    let _ = writeln!(text, "  {what} {number}, {} ms:", super::millis(exchange.took));
    let mut lines = |sign: char, pieces: &[Piece]| {
        for line in marked(pieces, colour).split("\\n").take(SHOWN_LINES) {
            let _ = writeln!(text, "    {sign} {line}");
        }
    };
    let plain = |text: &str| vec![Piece { text: shortened(text), differs: false }];
    for part in [&exchange.request.head, &exchange.request.body] {
        if !part.is_empty() {
            lines('>', &plain(part));
        }
    }
    if let Some(response) = &exchange.response {
        if !response.head.is_empty() {
            lines('<', &plain(&response.head));
        }
        if !response.body.is_empty() {
            lines('<', &around_first(difference::marks(expected, actual, &response.body)));
        }
    }
    if let Some(error) = &exchange.error {
        lines('<', &plain(error));
    }
}

/// The beginning of a body, or what surrounds its first mark.
fn around_first(pieces: Vec<Piece>) -> Vec<Piece> {
    let before: String =
        pieces.iter().take_while(|piece| !piece.differs).map(|piece| piece.text.as_str()).collect();
    let is_marked = pieces.iter().any(|piece| piece.differs);
    let skipped = if is_marked { before.chars().count().saturating_sub(SHOWN_LETTERS / 2) } else { 0 };
    let (mut shown, mut passed) = (Vec::new(), 0);
    if skipped > 0 {
        shown.push(Piece { text: "…".to_owned(), differs: false });
    }
    for piece in pieces {
        let letters = piece.text.chars().count();
        let (from, to) = (skipped.saturating_sub(passed), (skipped + SHOWN_LETTERS).saturating_sub(passed));
        let text: String = piece.text.chars().take(to).skip(from).collect();
        passed += letters;
        if !text.is_empty() {
            shown.push(Piece { text, differs: piece.differs });
        }
    }
    if passed > skipped + SHOWN_LETTERS {
        shown.push(Piece { text: "…".to_owned(), differs: false });
    }
    shown
}

fn shortened(text: &str) -> String {
    shortened_to(text, SHOWN_LETTERS)
}

fn shortened_to(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

fn marked(pieces: &[Piece], colour: Colour) -> String {
    let paint = |piece: &Piece| {
        let text = one_line(&piece.text);
        if piece.differs { colour.bad(&text) } else { text }
    };
    pieces.iter().map(paint).collect()
}
