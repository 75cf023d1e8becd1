//! `slipway explain`: everything known about a check, a clause, a defect, a variant, a statement, a rule or a fault of rehearsals, or a list
//! of them; or a transaction, an error of a contract, or a word of the glossary.
use std::fmt::Write as _;

use slipway_defects::variants::{self, Variant};
use slipway_defects::{Defect, catalogue};
use slipway_scenarios::model::interface::{Statement, statement, statements, why_not_judged};
use slipway_scenarios::{Binding, Check, Clause, checks, clause, clauses, sections};

use super::interface::judges;
use super::{error, glossary, list, transaction};
use crate::arguments::ExplainArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::prove::embedded;
use crate::rehearse::{self, Told};
use crate::terminal::alike::suggestion;
use crate::terminal::output;

#[derive(Debug, thiserror::Error)]
#[error(
    "{}; {}`slipway explain --list` with the kind prints them all",
    if id.starts_with("0x") {
        format!("{id:?} is neither the hash of a transaction, which is 0x and 64 digits, nor the data of an error that a known contract declares")
    } else {
        format!("no check, clause, defect, variant, statement, rule, fault, error of a contract or word of the glossary is called {id:?}")
    },
    alike.map(|id| format!("did you mean {id}? ")).unwrap_or_default()
)]
struct UnknownId {
    id: String,
    /// The most similar id.
    alike: Option<&'static str>,
}

impl Fatal for UnknownId {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

pub(super) async fn run(arguments: &ExplainArguments) -> Result<Exit, CommandError> {
    match (&arguments.id, arguments.list) {
        (Some(id), _) if transaction::is_hash(id) => transaction::explain(id, arguments).await,
        (Some(id), _) if arguments.print.json => {
            let other = || error::known(id).map(|it| it.json()).or_else(|| Some(glossary::known(id)?.json()));
            match list::row(id).or_else(other) {
                Some(row) => output::done(&output::document(&row)),
                None => Err(unknown(id)),
            }
        }
        (Some(id), _) => explain(id),
        (None, listed) => {
            let listed = listed.expect("the command line demands an id or a list");
            output::done(&list::listed(listed, arguments.print.json))
        }
    }
}

fn explain(id: &str) -> Result<Exit, CommandError> {
    let mut text = String::new();
    if let Some(clause) = clause(id) {
        of_clause(clause, &mut text);
    }
    if let Some(check) = checks().find(|check| check.id == id) {
        of_check(check, &mut text);
    }
    if let Some(defect) = catalogue().iter().find(|defect| defect.id == id) {
        of_defect(defect, &mut text);
    }
    if let Some(variant) = variants::catalogue().iter().find(|variant| variant.id == id) {
        of_variant(variant, &mut text);
    }
    if let Some(statement) = statement(&id.to_uppercase()) {
        of_statement(statement, &mut text);
    }
    if let Some(rule) = rehearse::rules().find(|rule| rule.id == id) {
        of_rule(&rule, &mut text);
    }
    if let Some(fault) = rehearse::faults().find(|fault| fault.id == id) {
        of_fault(&fault, &mut text);
    }
    if let Some(error) = error::known(id) {
        text.push_str(&error.text());
    }
    if let Some(word) = glossary::known(id) {
        text.push_str(&word.text());
    }
    if text.is_empty() { Err(unknown(id)) } else { output::told(&text) }
}

fn unknown(id: &str) -> CommandError {
    let known = checks().map(|check| check.id).chain(clauses().map(|clause| clause.id));
    let known = known.chain(catalogue().iter().map(|defect| defect.id));
    let known = known.chain(variants::catalogue().iter().map(|variant| variant.id));
    let known = known.chain(rehearse::rules().chain(rehearse::faults()).map(|told| told.id));
    let known = known
        .chain(statements().map(|statement| statement.id))
        .chain(error::names())
        .chain(glossary::names());
    let is_data = id.starts_with("0x");
    UnknownId { id: id.to_owned(), alike: suggestion(id, known).filter(|_| !is_data) }.into()
}

fn of_rule(rule: &Told, text: &mut String) {
    let agent = if rule.is_of_agents { " --agent" } else { "" };
    let _ = writeln!(text, "rule {}\n  {}", rule.id, rule.summary);
    if let Some(clause) = rule.clause {
        let _ = writeln!(text, "  clause: {clause}");
    }
    let _ = writeln!(text, "  judged in: slipway rehearse{agent}");
}

fn of_fault(fault: &Told, text: &mut String) {
    let agent = if fault.is_of_agents { " --agent" } else { "" };
    let Told { id, summary, .. } = fault;
    let _ = writeln!(text, "fault {id}\n  {summary}\n  run: slipway rehearse{agent} --only {id} -- COMMAND");
}

fn of_statement(statement: &Statement, text: &mut String) {
    let _ = writeln!(text, "statement {}\n  {}", statement.id, statement.text);
    if let Some(gap) = statement.gap {
        let _ = writeln!(text, "  open: {gap}");
    }
    for (is_choice, clause, checks) in judges(statement) {
        let word = if is_choice { "our choice" } else { "checked by" };
        let checks = checks.replace('`', "");
        let _ = writeln!(text, "  {word}: {} {} {checks}", clause.id, clause.text);
    }
    if let Some(reason) = why_not_judged(statement.id) {
        let _ = writeln!(text, "  not judged: {reason}");
    }
}

fn of_clause(clause: &Clause, text: &mut String) {
    let binding = match clause.binding() {
        Binding::Interface => "interface; binds every platform",
        Binding::Standard => "public standard; binds every platform",
        Binding::Choice => "choice; a difference of an external target is reported, not failed",
    };
    let section = sections().find(|(_, clauses)| clauses.iter().any(|one| one.id == clause.id));
    let _ = writeln!(
        text,
        "clause {}\n  {}\n  section: {}\n  binding: {binding}\n  at: {}",
        clause.id,
        clause.text,
        section.map(|(title, _)| title).unwrap_or_default(),
        clause.location
    );
    for statement in clause.statements().iter().filter_map(|id| statement(id)) {
        let _ = writeln!(text, "  statement: {} {}", statement.id, statement.text);
    }
    for check in clause.checks {
        let _ = writeln!(text, "  checked by: {} ({}), at {}", check.id, check.summary, check.location);
    }
    proven_by(clause, text);
}

/// The seeded defects that its checks catch.
fn proven_by(clause: &Clause, text: &mut String) {
    for defect in catalogue().iter().filter(|defect| defect.clauses.contains(&clause.id)) {
        let _ = writeln!(
            text,
            "  proven by: {} ({}), at {}:{}",
            defect.id, defect.summary, defect.file, defect.line
        );
    }
}

fn of_check(check: &Check, text: &mut String) {
    let needs: Vec<String> = check.needs.iter().map(ToString::to_string).collect();
    let _ = writeln!(
        text,
        "check {}\n  {}\n  clause: {}\n  looks at: {}\n  lane: {}\n  needs: {}\n  run: slipway check --only {}\n  at: {}",
        check.id,
        check.summary,
        check.clause.id,
        check.statements().join(", "),
        format!("{:?}", check.lane).to_lowercase(),
        needs.join("; "),
        check.id,
        check.location
    );
    if let Some((defect, kill)) = embedded().of_check(check.id) {
        let (expected, actual) = (&kill.expected, &kill.actual);
        let _ = writeln!(text, "  killed by: {defect}\n    expected: {expected}\n    actual: {actual}");
    }
    proven_by(check.clause, text);
}

fn of_defect(defect: &Defect, text: &mut String) {
    let _ = writeln!(
        text,
        "defect {}\n  {}\n  fails: {}\n  layer: {}\n  defined at: {}:{}\n  run: slipway check --defect {}",
        defect.id,
        defect.summary,
        defect.clauses.join(", "),
        defect.layer.name(),
        defect.file,
        defect.line,
        defect.id
    );
}

fn of_variant(variant: &Variant, text: &mut String) {
    let _ = writeln!(
        text,
        "variant {}\n  {}\n  rests on: {}\n  layer: {}\n  run: slipway drill --variants --only {}",
        variant.id,
        variant.summary,
        variant.rests_on.text(),
        variant.layer(),
        variant.id
    );
}
