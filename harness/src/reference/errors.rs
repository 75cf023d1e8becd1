//! `docs/how-to/reverts.md`: every error of our contracts, from their sources.
use slipway_contracts::decode::declared_errors;
use slipway_test_support::is_current;

use super::{cell, page};

#[test]
fn page_lists_every_error_of_the_contracts() {
    let own = declared_errors().iter().filter(|error| !error.contracts.is_empty());
    let rows = own.map(|error| {
        let meaning = cell(&error.meanings.join(" / "));
        format!("| `{}` | `{}` | {meaning} |\n", error.signature, error.selector)
    });
    let table = rows.collect::<String>();
    is_current(
        &page("../how-to/reverts.md"),
        "errors",
        &format!("\n| error | selector | it means |\n|---|---|---|\n{table}\n"),
    );
}
