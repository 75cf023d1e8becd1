//! Each row records its own line.
use super::super::defects;

#[test]
fn each_row_names_its_own_line() {
    let table: Vec<&str> = include_str!("table.rs").lines().collect();
    for defect in defects() {
        let at = usize::try_from(defect.line).unwrap() - 1;
        assert!(table[at].contains(&format!("\"{}\"", defect.id)), "{} is not at line {}", defect.id, at + 1);
    }
}
