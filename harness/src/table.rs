//! Tables for terminals: columns two spaces apart, without lines.
use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};

/// The rows, each ending in a line break. Within a width, long cells wrap in their column; without one, each row is one line.
pub(crate) fn columns<Cells: IntoIterator<Item = String>>(
    rows: impl IntoIterator<Item = Cells>,
    width: Option<u16>,
) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
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

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn columns_are_aligned_and_wrap_within_a_width() {
        let rows = || [["a", "b b b b b b b b"], ["long", "漢字"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(rows(), None), "a     b b b b b b b b\nlong  漢字\n");
        assert_eq!(columns(rows(), Some(16)), "a     b b b b\n      b b b b\nlong  漢字\n");
        assert_eq!(columns(Vec::<Vec<String>>::new(), None), "");
    }
}
