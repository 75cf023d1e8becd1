//! One square for each statement of the interface: the worst verdict on it, or that no check tested it.
use std::collections::BTreeMap;

use maud::{Markup, html};
use slipway_scenarios::model::interface;

use super::super::Report;
use super::super::escape::visible;
use super::super::events::Word;
use super::super::scope::{judged_by, looked_at};

/// A statement with its sort key, the number in its id.
type Statement<'r> = (usize, &'r str);

/// The worst verdict on a statement, and the clause whose check reached it; `None` if no check tested it.
type Finding<'r> = Option<(Word, &'r str)>;

fn statement(id: &str) -> Statement<'_> {
    (id.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(usize::MAX), id)
}

fn findings(report: &Report) -> BTreeMap<Statement<'_>, Finding<'_>> {
    let mut findings: BTreeMap<_, Finding<'_>> =
        report.run.not_judged.keys().map(|id| (statement(id), None)).collect();
    for clause in report.run.sections.iter().flat_map(|section| &section.clauses) {
        for id in &clause.statements {
            findings.entry(statement(id)).or_default();
        }
        for check in &clause.checks {
            let Some(verdict) = report.verdict(&check.id) else { continue };
            let found_on = match verdict.verdict {
                // A choice that holds says nothing about a statement.
                Word::Passed if clause.binding == "choice" => continue,
                Word::Difference => looked_at(clause, check),
                _ => judged_by(clause, verdict),
            };
            for id in found_on {
                let found = (verdict.verdict, clause.id.as_str());
                let finding = findings.entry(statement(id)).or_default();
                *finding = Some(finding.map_or(found, |before| before.min(found)));
            }
        }
    }
    findings
}

/// The verdicts of the squares and their names, worst first.
const WORDS: [(Option<Word>, &str); 5] = [
    (Some(Word::Failed), "failed"),
    (Some(Word::Known), "known"),
    (Some(Word::Difference), "beside a choice that differs"),
    (Some(Word::Passed), "passed"),
    (None, "not looked at"),
];

pub(super) fn render(report: &Report) -> Markup {
    let findings = findings(report);
    let word = |finding: Finding<'_>| finding.map(|(word, _)| word);
    let count = |wanted| findings.values().filter(|finding| word(**finding) == wanted).count();
    html! {
        nav #statements aria-label=(format!("{} statements of the interface", findings.len())) {
            p {
                (findings.len()) " statements: "
                @for (wanted, name) in WORDS {
                    @let count = count(wanted);
                    @if count > 0 { span.legend { i.(class(wanted)) {} " " (count) " " (name) } " " }
                }
            }
            div.strip {
                @for (&(_, id), &finding) in &findings {
                    @let word = word(finding);
                    @let name = WORDS.iter().find(|(known, _)| *known == word).map_or("", |(_, name)| *name);
                    @let link = finding.map_or_else(|| format!("not-{id}"), |(_, clause)| clause.to_owned());
                    // Keyboard users reach the clauses below without a stop at each square.
                    a.(class(word)) href={ "#" (visible(&link)) } title={ (visible(id)) " " (name) } tabindex="-1" {}
                }
            }
        }
    }
}

fn class(word: Option<Word>) -> &'static str {
    word.map_or("unseen", Word::as_str)
}

/// The statements that were not judged, each with its text and the reason.
pub(super) fn not_judged(report: &Report) -> Markup {
    let statements = report.scope().not_judged;
    let mut sorted: Vec<_> = statements.iter().collect();
    sorted.sort_by_key(|(id, _)| statement(id));
    html! {
        @if !sorted.is_empty() {
            details #not-judged {
                summary { h2 { (sorted.len()) " statements not judged" } }
                dl {
                    @for (id, reason) in sorted {
                        div id={ "not-" (visible(id)) } {
                            dt { (visible(id)) }
                            dd {
                                @if let Some(statement) = interface::statement(id) { (statement.text) br; }
                                small { (visible(reason)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
