//! Tables for terminals: columns two spaces apart, without lines.
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width};

/// The rows, each ending in a line break. With a width, long cells wrap within their column; without one, each row is one line.
pub(crate) fn columns<Cells: IntoIterator<Item = String>>(
    rows: impl IntoIterator<Item = Cells>,
    width: Option<u16>,
) -> String {
    let mut table = plain();
    if let Some(width) = width {
        table.set_width(width);
    }
    table.add_rows(rows);
    if table.is_empty() {
        return String::new();
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}

/// Indented names with aligned values next to them: `  clause:    LIST-COUNT`.
pub(crate) fn details<'a>(rows: impl IntoIterator<Item = (&'a str, String)>) -> String {
    const NAMES: u16 = 13;
    let mut table = plain();
    table.add_rows(rows.into_iter().map(|(name, value)| [format!("  {name}:"), value]));
    if let Some(names) = table.column_mut(0) {
        names.set_padding((0, 1)).set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(NAMES)));
    }
    if let Some(values) = table.column_mut(1) {
        values.set_padding((0, 0));
    }
    if table.is_empty() { String::new() } else { table.trim_fmt() + "\n" }
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table
}

#[cfg(test)]
mod tests {
    use super::{columns, details};

    #[test]
    fn columns_are_aligned_and_wrap_within_a_width() {
        let rows = || [["a", "b b b b b b b b"], ["long", "漢字"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(rows(), None), "a     b b b b b b b b\nlong  漢字\n");
        assert_eq!(columns(rows(), Some(16)), "a     b b b b\n      b b b b\nlong  漢字\n");
        assert_eq!(columns(Vec::<Vec<String>>::new(), None), "");
        let rows = [("clause", "A".to_owned()), ("reproduce", "b  c".to_owned())];
        assert_eq!(details(rows), "  clause:    A\n  reproduce: b  c\n");
        assert_eq!(details([("also", String::new())]), "  also:\n");
    }
}
