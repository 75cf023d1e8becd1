//! `slipway explain ID`: everything known of a check, a clause or a seeded defect.
use std::fmt::Write as _;

use slipway_scenarios::{Check, Clause, checks, clause};
use slipway_sim::defect::{Defect, catalogue};

use crate::arguments::ExplainArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output;

pub(super) fn run(arguments: &ExplainArguments) -> Result<Exit, CommandError> {
    let id = arguments.id.as_str();
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
    if text.is_empty() {
        return Err(CommandError::UnknownId { id: id.to_owned() });
    }
    output::data(&text)?;
    Ok(Exit::Conformant)
}

fn of_clause(clause: &Clause, text: &mut String) {
    let binding = if clause.chosen {
        "a choice of this project; an external target is told, not failed"
    } else {
        "binds every platform"
    };
    let _ = writeln!(
        text,
        "clause {}\n  {}\n  section: {}\n  binding: {binding}",
        clause.id, clause.text, clause.section
    );
    for check in checks().filter(|check| check.clauses.contains(&clause.id)) {
        let _ = writeln!(text, "  checked by: {} ({})", check.id, check.summary);
    }
    for defect in catalogue().iter().filter(|defect| defect.clauses.contains(&clause.id)) {
        let _ = writeln!(text, "  proven by: {} ({})", defect.id, defect.summary);
    }
}

fn of_check(check: &Check, text: &mut String) {
    let needs: Vec<String> = check.needs.iter().map(ToString::to_string).collect();
    let _ = writeln!(
        text,
        "check {}\n  {}\n  clauses: {}\n  lane: {}\n  needs: {}\n  run: slipway check --only {}",
        check.id,
        check.summary,
        check.clauses.join(", "),
        format!("{:?}", check.lane).to_lowercase(),
        needs.join("; "),
        check.id
    );
}

fn of_defect(defect: &Defect, text: &mut String) {
    let _ = writeln!(
        text,
        "defect {}\n  {}\n  reddens: {}\n  run: slipway check --defect {}",
        defect.id,
        defect.summary,
        defect.clauses.join(", "),
        defect.id
    );
}
