//! The table of control plane calls in `docs/how-to/checking.md`, and the checks that it names.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use slipway_scenarios::client::calls::CALLS;
use slipway_scenarios::model::target::Need;
use slipway_test_support::is_current;

use super::{cell, page};
use crate::run::selector::select;

#[test]
fn page_lists_the_calls_of_a_control_plane() {
    let mut made =
        String::from("\n| call | sent | answered | what for | needed by |\n|---|---|---|---|---|\n");
    for call in CALLS {
        let needed: Vec<String> = call.needed_by.iter().map(|id| format!("`{id}`")).collect();
        let needed = match call.needed_by {
            [] => "nothing".to_owned(),
            _ => needed.join(", "),
        };
        let path = format!("`{} {}`", call.method, call.path);
        let cells = [&path, call.request, call.answer, call.purpose, &needed];
        let _ = writeln!(made, "| {} |", cells.map(cell).join(" | "));
    }
    made.push('\n');
    is_current(&page("../how-to/checking.md"), "calls", &made);
}

#[test]
fn every_check_with_a_control_plane_needs_a_call_of_it() {
    let mut named = BTreeSet::new();
    for call in CALLS {
        let ids: Vec<String> = call.needed_by.iter().map(ToString::to_string).collect();
        if !ids.is_empty() {
            let checks = select(slipway_scenarios::checks(), &ids, "check", |check| vec![check.id]).unwrap();
            named.extend(checks.into_iter().map(|check| check.id));
        }
    }
    let with_control = slipway_scenarios::checks().filter(|check| check.needs.contains(&Need::Control));
    let unnamed: Vec<&str> = with_control.map(|check| check.id).filter(|id| !named.contains(id)).collect();
    assert!(unnamed.is_empty(), "no call of the table is said to be needed by {unnamed:?}");
}
