//! The table is complete, and each row knows where it stands.
use std::collections::BTreeSet;

use super::super::defects;
use super::*;

#[test]
fn each_row_is_unique_and_has_an_effect() {
    assert_eq!(clauses().count(), 40);
    assert_eq!(rows().count(), 110);
    let ids: BTreeSet<&str> = rows().map(|row| row.id).collect();
    assert_eq!(ids.len(), rows().count());
    assert!(rows().all(|row| row.id.starts_with("mcp-") && !row.effects.is_empty()));
}

#[test]
fn each_row_names_its_own_line() {
    let table: Vec<&str> = include_str!("table.rs").lines().collect();
    let launches: Vec<&str> = include_str!("launches.rs").lines().collect();
    for defect in defects() {
        let source = if defect.file.ends_with("tool/launches.rs") { &launches } else { &table };
        // The id stands on the line of the row, or on the next one.
        let at = usize::try_from(defect.line).unwrap() - 1;
        let id = format!("\"{}\"", defect.id);
        assert!(source[at..at + 2].iter().any(|line| line.contains(&id)), "{id} is not at line {}", at + 1);
    }
}
