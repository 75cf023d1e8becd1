//! The text report: a line for each section, what was skipped, failures with how to repeat them, the totals.
use std::fmt::Write as _;

use super::difference::{self, Piece};
use super::escape::one_line;
use super::events::{Exchange, ExchangeKind, Section, Verdict, Word};
use super::{Report, seconds, worst};
use crate::colour::Colour;

/// Most lines of an exchange that are shown, and characters of each.
const SHOWN_LINES: usize = 12;
const SHOWN_LETTERS: usize = 600;

/// The whole text, ending in a line break.
pub(crate) fn render(report: &Report, colour: Colour) -> String {
    let mut text = String::new();
    for section in &report.run.sections {
        let _ = writeln!(text, "{:<34} {}", section.title, tallies(report, section, colour));
    }
    skipped(report, &mut text);
    for entry in &report.end.stale {
        let _ = writeln!(text, "{} {entry}", colour.doubtful("STALE BASELINE"));
    }
    for entry in &report.end.expired {
        let _ = writeln!(text, "{} {entry}", colour.doubtful("EXPIRED BASELINE"));
    }
    for word in [Word::Known, Word::Difference, Word::Inconclusive, Word::Failed] {
        for verdict in report.verdicts.iter().filter(|verdict| verdict.verdict == word) {
            let alike = alike(report, verdict);
            // Checks that one cause left without a verdict are told once.
            if alike.first().is_none_or(|first| first.check == verdict.check) {
                detail(report, verdict, &alike, colour, &mut text);
            }
        }
    }
    let _ =
        writeln!(text, "\n{}; seed {}, {}", sum(report, colour), report.run.seed, seconds(report.end.took));
    text.push_str(&not_judged(report));
    let sentence = report.sentence();
    let _ = writeln!(text, "{}", if report.counts().failed > 0 { colour.bad(&sentence) } else { sentence });
    text
}

/// How many statements were not judged, and where it says why.
fn not_judged(report: &Report) -> String {
    let scope = report.scope();
    let never = scope.not_judged.keys().filter(|id| report.run.not_judged.contains_key(*id)).count();
    let undecided = scope.not_judged.len() - never;
    let mut parts = Vec::new();
    if undecided > 0 {
        parts.push(format!("{} whose checks reached no verdict", counted(undecided, "statement")));
    }
    if never > 0 {
        parts.push(format!("{} that no selected check looks at", counted(never, "statement")));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("not judged: {}; --html, --summary and --json say why\n", parts.join(", "))
}

/// The number of checks for each verdict.
pub(super) fn sum(report: &Report, colour: Colour) -> String {
    let counts = report.counts();
    let mut sum = format!("{} passed, ", counts.passed);
    let failed = format!("{} failed", counts.failed);
    sum.push_str(&if counts.failed > 0 { colour.bad(&failed) } else { failed });
    let _ = write!(sum, ", {} skipped", counts.skipped);
    for (count, word) in [
        (counts.inconclusive, "inconclusive"),
        (counts.differences, "differences"),
        (counts.known, "known failures"),
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

pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn skipped(report: &Report, text: &mut String) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for verdict in report.verdicts.iter().filter(|verdict| verdict.verdict == Word::Skipped) {
        let reason = verdict.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&verdict.check),
            None => reasons.push((reason, vec![&verdict.check])),
        }
    }
    for (reason, ids) in reasons {
        let _ = writeln!(text, "\nskipped because {}:\n  {}", one_line(reason), ids.join(", "));
    }
}

/// The inconclusive checks with the reason of this one, itself among them; none of another verdict.
fn alike<'r>(report: &'r Report, verdict: &Verdict) -> Vec<&'r Verdict> {
    let is_alike = |other: &&Verdict| other.verdict == Word::Inconclusive && other.reason == verdict.reason;
    let all = if verdict.verdict == Word::Inconclusive { report.verdicts.iter() } else { [].iter() };
    all.filter(is_alike).collect()
}

fn detail(report: &Report, verdict: &Verdict, alike: &[&Verdict], colour: Colour, text: &mut String) {
    let title = colour.of(verdict.verdict, &verdict.verdict.as_str().to_uppercase());
    let others: Vec<&str> = alike.iter().skip(1).map(|other| other.check.as_str()).collect();
    let _ = writeln!(text, "\n{title} {}", verdict.check);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {:<10} {value}", format!("{name}:"));
    };
    if let Some(reason) = &verdict.reason {
        line("reason", &one_line(reason));
        if !others.is_empty() {
            line("also", &others.join(", "));
        }
        line("replay", &format!("{} --only {}", report.run.replay, verdict.check));
    }
    if let Some(known) = &verdict.known {
        let since = known.since.as_ref().map(|since| format!(", since {since}")).unwrap_or_default();
        let until = known.until.as_ref().map(|until| format!(", forgiven until {until}")).unwrap_or_default();
        line("known", &one_line(&format!("{}{since}{until}", known.reason)));
    }
    let Some(failure) = &verdict.failure else { return };
    let (expected, actual) = difference::pieces(&failure.expected, &failure.actual);
    line("clause", &failure.clause);
    line("expected", &marked(&expected, colour));
    line("actual", &marked(&actual, colour));
    line("reproduce", &one_line(&failure.reproduce));
    line("replay", &failure.replay);
    if verdict.verdict == Word::Failed
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
    match text.char_indices().nth(SHOWN_LETTERS) {
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
