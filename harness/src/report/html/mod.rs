//! The report as one HTML page that needs no network: failures first. Texts of a target are escaped, and only our script may run.
mod check;
mod highlight;
mod strip;

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::count::counted;
use super::events::{ClauseInfo, Run, Section, Verdict, Word};
use super::scope::Headline;
use super::{Report, millis, seconds, worst};
use crate::report::escape::visible;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The logo of the public pages.
const LOGO: &str =
    r##"<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1 13 15 3v10z" fill="#2563eb"/></svg>"##;

/// The verdicts whose clauses are listed before the sections, worst first.
const FIRST: [(Word, &str); 4] = [
    (Word::Failed, "Failed"),
    (Word::Inconclusive, "Without a verdict"),
    (Word::Known, "Known failures"),
    (Word::Difference, "Differences"),
];

pub(super) fn render(report: &Report) -> String {
    let allowed = |content: &str| STANDARD.encode(Sha256::digest(content));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'",
        allowed(STYLE),
        allowed(SCRIPT),
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                link rel="icon" href="data:,";
                title { (report.headline().title()) " · conformance report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#results" { "Skip to the results" }
                header {
                    (head(report))
                    (facts(report))
                    (strip::render(report))
                    (filter(report))
                }
                main #results tabindex="-1" {
                    @for (word, title) in FIRST { (group(report, word, title)) }
                    div #sections { @for section in &report.run.sections { (self::section(report, section)) } }
                    p #nothing role="status" hidden { "Nothing matches." }
                    (strip::not_judged(report))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The header of the public pages; its links stay within the file, which may be read anywhere.
fn head(report: &Report) -> Markup {
    let clauses = || report.run.sections.iter().flat_map(|section| &section.clauses);
    let has = |word: Word| clauses().any(|clause| word_of(report, clause) == word);
    html! {
        nav.head aria-label="Parts" {
            span.brand { (PreEscaped(LOGO)) "slipway" }
            @for (word, title) in FIRST {
                @if has(word) { a href={ "#" (word.as_str()) } { (title) } }
            }
            a href="#sections" { "Sections" }
            a href="#statements" { "Statements" }
            @if !report.scope().not_judged.is_empty() { a href="#not-judged" { "Not judged" } }
        }
    }
}

fn facts(report: &Report) -> Markup {
    let Report { run, end, .. } = report;
    let headline = report.headline();
    let word = match headline {
        Headline::NotConformant => "failed",
        Headline::Conformant => "passed",
        Headline::InPart => "difference",
        Headline::NothingJudged | Headline::NoVerdict | Headline::StaleBaseline => "inconclusive",
    };
    html! {
        h1.(word) { (headline.title()) }
        p { (visible(&report.sentence())) }
        dl {
            @if let Some((exact, shown)) = started(run) { (pair("run", &html! { time datetime=(exact) { (shown) } ", " (seconds(end.took)) })) }
            (target(run))
            (pair("by", &html! {
                (visible(&run.tool.name)) " " (visible(&run.tool.version)) ", seed " (run.seed) ", lane " (visible(&run.lane))
                ", " (report.verdicts.len()) " checks"
            }))
            (pair("interface", &html! { code { (visible(&run.interface)) } }))
            (pair("replay", &html! { code { (visible(&run.replay)) } }))
        }
        @for (name, entries) in [("Stale in the baseline", &end.stale), ("Expired in the baseline", &end.expired)] {
            @for entry in entries { p.known { (name) ": " (visible(entry)) } }
        }
    }
}

fn pair(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// When the run began, in machine-readable and readable form; earlier releases did not record it.
fn started(run: &Run) -> Option<(String, String)> {
    let milliseconds = i64::try_from(run.started).ok().filter(|&milliseconds| milliseconds > 0)?;
    let began = Timestamp::from_millisecond(milliseconds).ok()?;
    Some((began.to_string(), began.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()))
}

fn target(run: &Run) -> Markup {
    let target = &run.target;
    let services =
        [("REST service", &target.rest), ("swap service", &target.swap), ("control plane", &target.control)];
    html! {
        @if target.local {
            (pair("target", &html! {
                "slipway's own platform, started for this run, with the addresses of " code { "slipway up" }
            }))
        }
        @for (name, address) in services {
            // The platform of the run ended with it.
            @if let Some(address) = address {
                @if target.local { (pair(name, &html! { (visible(address)) })) } @else { (pair(name, &linked(address))) }
            }
        }
        @for (chain, address) in &target.rpc {
            (pair(&format!("chain {}", visible(chain)), &html! { (visible(address)) }))
        }
    }
}

/// A link for a web address; any other text is only shown.
fn linked(address: &str) -> Markup {
    let shown = visible(address);
    let is_web = Url::parse(address).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
    html! { @if is_web { a href=(address) rel="noopener noreferrer" { (shown) } } @else { (shown) } }
}

fn filter(report: &Report) -> Markup {
    let counts = report.counts();
    let words = [
        (Word::Failed, counts.failed),
        (Word::Inconclusive, counts.inconclusive),
        (Word::Known, counts.known),
        (Word::Difference, counts.differences),
        (Word::Passed, counts.passed),
        (Word::Skipped, counts.skipped),
    ];
    html! {
        form #filter role="search" {
            label { "Search " input #search type="search" autocomplete="off" placeholder="check, clause, text"; }
            fieldset {
                legend { "Checks" }
                @for (word, count) in words.iter().filter(|(_, count)| *count > 0) {
                    label {
                        input type="checkbox" name="verdict" value=(word.as_str()) checked;
                        " " span.(word.as_str()) { (word.as_str()) } " " (count)
                    }
                }
            }
        }
    }
}

/// The worst verdict on a clause.
fn word_of(report: &Report, clause: &ClauseInfo) -> Word {
    worst(report.of_clause(clause)).unwrap_or(Word::Skipped)
}

fn is_first(word: Word) -> bool {
    FIRST.iter().any(|(first, _)| *first == word)
}

/// The clauses with this as their worst verdict.
fn group<'r>(report: &'r Report, word: Word, title: &str) -> Markup {
    let of_section = |section: &'r Section| section.clauses.iter().map(move |clause| (section, clause));
    let clauses = report.run.sections.iter().flat_map(of_section);
    let mut found = clauses.filter(|(_, clause)| word_of(report, clause) == word).peekable();
    html! {
        @if found.peek().is_some() {
            section.group aria-labelledby=(word.as_str()) {
                h2.(word.as_str()) id=(word.as_str()) { (title) }
                @for (section, clause) in found { (self::clause(report, section, clause)) }
            }
        }
    }
}

fn section(report: &Report, section: &Section) -> Markup {
    let verdicts = || section.clauses.iter().flat_map(|clause| report.of_clause(clause));
    let word = worst(verdicts()).map_or("skipped", Word::as_str);
    let stretches = stretches(verdicts());
    let took: u64 = stretches.iter().map(|stretch| stretch.end - stretch.start).sum();
    html! {
        details.section {
            summary {
                h2 { (visible(&section.title)) } " " span.(word) { (word) } " "
                small { (section.clauses.len()) " clauses, " (verdicts().count()) " checks, " (millis(took)) " ms" }
                (when(&stretches, report.end.took))
            }
            @for clause in &section.clauses {
                @let word = word_of(report, clause);
                @if is_first(word) {
                    p.moved {
                        a href={ "#" (visible(&clause.id)) } { (visible(&clause.id)) }
                        " " span.(word.as_str()) { (word.as_str()) } " " (visible(&clause.text))
                    }
                } @else { (self::clause(report, section, clause)) }
            }
        }
    }
}

/// The time ranges of the run, in microseconds, in which any of these checks ran: parallel checks overlap, and a moment counts once.
fn stretches<'r>(verdicts: impl Iterator<Item = &'r Verdict>) -> Vec<Range<u64>> {
    let mut ran: Vec<Range<u64>> =
        verdicts.map(|verdict| verdict.at.saturating_sub(verdict.took)..verdict.at).collect();
    ran.sort_by_key(|stretch| stretch.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for stretch in ran {
        match merged.last_mut() {
            Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
            _ => merged.push(stretch),
        }
    }
    merged
}

/// A strip that shows these ranges within the run.
fn when(stretches: &[Range<u64>], run: u64) -> Markup {
    const WIDTH: u64 = 200;
    let place = |moment: u64| moment.min(run).saturating_mul(WIDTH) / run.max(1);
    html! {
        svg.when viewBox={ "0 0 " (WIDTH) " 8" } preserveAspectRatio="none" aria-hidden="true" {
            @for stretch in stretches {
                @let (start, end) = (place(stretch.start), place(stretch.end));
                rect x=(start) width=((end - start).max(1)) height="8" {}
            }
        }
    }
}

fn clause(report: &Report, section: &Section, clause: &ClauseInfo) -> Markup {
    let word = word_of(report, clause);
    html! {
        article.clause id=(visible(&clause.id)) {
            h3 {
                a href={ "#" (visible(&clause.id)) } { (visible(&clause.id)) } " "
                span.(word.as_str()) { (word.as_str()) } " "
                small {
                    @if is_first(word) { (visible(&section.title)) " · " }
                    (visible(&clause.binding)) " · " (visible(&clause.location))
                }
            }
            p { (visible(&clause.text)) }
            @for verdict in by_verdict(report, clause) { (check::render(report, verdict)) }
            @if !clause.proven_by.is_empty() {
                details {
                    summary { "Proven by " (counted(clause.proven_by.len(), "seeded defect")) }
                    ul {
                        @for defect in &clause.proven_by {
                            li { code { (visible(&defect.id)) } " " (visible(&defect.summary)) }
                        }
                    }
                }
            }
        }
    }
}

/// The checks of a clause, the worst first.
fn by_verdict<'r>(report: &'r Report, clause: &'r ClauseInfo) -> Vec<&'r Verdict> {
    let mut verdicts: Vec<_> = report.of_clause(clause).collect();
    verdicts.sort_by_key(|verdict| verdict.verdict);
    verdicts
}

#[cfg(test)]
mod tests;
