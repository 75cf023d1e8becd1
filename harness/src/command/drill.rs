//! `slipway drill` and `slipway matrix`: are the checks any good?
use std::fmt::Write as _;

use serde_json::json;
use slipway_sim::defect::catalogue;

use crate::arguments::DrillArguments;
use crate::drill::{Breadth, CONTROL, Drill, drill};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output;
use crate::selector::select;

pub(super) async fn run(arguments: DrillArguments, breadth: Breadth) -> Result<Exit, CommandError> {
    let mut all = catalogue();
    if !arguments.only.is_empty() {
        all.push(CONTROL);
    }
    let chosen = select(&all, &arguments.only, "defect", |defect| vec![defect.id])?;
    let drill = drill(&chosen, &arguments.platform, arguments.only.is_empty(), breadth).await?;
    output::data(&if arguments.json { format!("{:#}\n", json(&drill)) } else { text(&drill) })?;
    Ok(if drill.passed() { Exit::Conformant } else { Exit::SelfCheck })
}

fn json(drill: &Drill) -> serde_json::Value {
    let missed = drill.rows.iter().filter(|row| !row.missed.is_empty()).count();
    let undeclared = drill.rows.iter().filter(|row| !row.undeclared.is_empty()).count();
    json!({
        "summary": {"caught": drill.rows.len() - missed, "missed": missed, "undeclared": undeclared, "unproven": drill.unproven.len(), "notGreen": drill.not_green.len()},
        "defects": drill.rows.iter().map(|row| json!({
            "id": row.defect.id,
            "clauses": row.defect.clauses,
            "caughtBy": row.caught_by,
            "missed": row.missed,
            "undeclared": row.undeclared.iter().map(|red| json!({"check": red.check, "clause": red.clause})).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "unproven": drill.unproven,
        "notGreen": drill.not_green.iter().map(|(id, said)| json!({"id": id, "said": said})).collect::<Vec<_>>(),
    })
}

fn text(drill: &Drill) -> String {
    let mut text = String::new();
    for row in &drill.rows {
        let word = if row.missed.is_empty() { "caught" } else { "MISSED" };
        let by = if row.missed.is_empty() {
            row.caught_by.join(", ")
        } else {
            format!("not reddened: {}", row.missed.join(", "))
        };
        let _ = writeln!(text, "{word} {:<36} {by}", row.defect.id);
        for red in &row.undeclared {
            let _ = writeln!(text, "UNDECLARED {} reddens {} ({})", row.defect.id, red.check, red.clause);
        }
    }
    for id in &drill.unproven {
        let _ = writeln!(text, "UNPROVEN {id}: no defect reddens it");
    }
    for (id, said) in &drill.not_green {
        let _ = writeln!(text, "NOT GREEN {id} without any defect: {said}");
    }
    let caught = drill.rows.iter().filter(|row| row.missed.is_empty()).count();
    let _ = writeln!(text, "\n{caught} of {} defects caught", drill.rows.len());
    text
}
