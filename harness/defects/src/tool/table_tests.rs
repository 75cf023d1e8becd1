//! Each row records its own line.
use super::super::defects;

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
