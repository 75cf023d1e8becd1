//! The statements of the interface, each with its clauses, checks and choices.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use slipway_scenarios::model::interface::{Statement, groups, why_not_judged};
use slipway_scenarios::{Basis, Check, Clause, clauses};

/// A statement as JSON.
pub(super) fn row(statement: &Statement) -> Value {
    let clauses: Vec<&str> = resting_on(statement).map(|clause| clause.id).collect();
    json!({
        "id": statement.id,
        "summary": statement.text,
        "open": statement.gap,
        "clauses": clauses,
        "notJudged": why_not_judged(statement.id),
    })
}

/// The interface as a page of Markdown.
pub(super) fn document() -> String {
    let mut text = String::from(INTRODUCTION);
    for group in groups() {
        let _ = write!(text, "\n## {}\n{}\n\n", group.title, group.introduction);
        for statement in &group.statements {
            of_statement(statement, &mut text);
        }
    }
    text.push_str(
        "\n## Public standards\nThese clauses rest on a public standard and bind every platform.\n\n",
    );
    for clause in clauses() {
        if let Basis::Standard(standard) = clause.basis {
            let _ = writeln!(
                text,
                "- `{}` ({standard}): {} {}",
                clause.id,
                clause.text,
                checks(clause, |_| true)
            );
        }
    }
    text
}

const INTRODUCTION: &str = "\
# The interface

What a token-launch platform offers to its clients, as numbered statements. Each statement lists the clauses that check it, with their
checks and the parts of a target that they take: `rest`, `swap`, `chain` and `tools` are judged by reads; `+write` takes funded keys,
`+limits` a control plane that moves the clock. *Open* is what the interface leaves to the platform; a choice is how slipway fills it,
and no other platform fails for choosing otherwise. A statement that nothing judges on another platform says why. [choices.md](reference/choices.md) has the choices in full.

This page is printed by `slipway explain --list statements`; `slipway explain S118` prints one statement.
";

/// A statement with its clauses, checks and choices, in Markdown.
fn of_statement(statement: &Statement, text: &mut String) {
    let _ = writeln!(text, "- **{}** {}", statement.id, statement.text);
    if let Some(gap) = statement.gap {
        let _ = writeln!(text, "  - *Open*: {gap}");
    }
    for (is_choice, clause, checks) in judges(statement) {
        let word = if is_choice { "Choice" } else { "Checked" };
        let _ = writeln!(text, "  - *{word}*: `{}` {} {checks}", clause.id, clause.text);
    }
    if let Some(reason) = why_not_judged(statement.id) {
        let _ = writeln!(text, "  - *Not judged*: {reason}.");
    }
}

/// The clauses that rest on a statement, choices last, each with its checks that test the statement.
pub(super) fn judges(statement: &Statement) -> Vec<(bool, &'static Clause, String)> {
    let looking = |check: &&Check| check.statements().contains(&statement.id);
    let mut judges: Vec<_> = resting_on(statement)
        .map(|clause| (matches!(clause.basis, Basis::Choice(_)), clause, checks(clause, looking)))
        .collect();
    judges.sort_by_key(|(is_choice, ..)| *is_choice);
    judges
}

fn resting_on(statement: &Statement) -> impl Iterator<Item = &'static Clause> {
    clauses().filter(|clause| clause.statements().contains(&statement.id))
}

/// These checks of a clause and the parts that they belong to.
fn checks(clause: &Clause, chosen: impl Fn(&&Check) -> bool) -> String {
    let checks: Vec<&Check> = clause.checks.iter().filter(chosen).collect();
    let ids: Vec<String> = checks.iter().map(|check| format!("`{}`", check.id)).collect();
    let parts: BTreeSet<_> = checks.iter().map(|check| check.part()).collect();
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    format!("({}; {})", ids.join(", "), parts.join(", "))
}
