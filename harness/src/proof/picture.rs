//! The picture of checks and defects: a column per check, a row per defect, a square for each kill.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::escape::escaped;

/// Side of a square, and the margins above and next to them, in units of the picture.
const SIDE: usize = 4;
const TOP: usize = 58;
const MARGIN: usize = 12;
/// Colours on a light and a dark ground.
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1b1b1f}.ground{fill:#fff}.band{fill:#f0f0f4}.declared{fill:#1b6b32}.undeclared{fill:#d9480f}@media(prefers-color-scheme:dark){text{fill:#ececf1}.ground{fill:#16161a}.band{fill:#222229}.declared{fill:#7fd79a}.undeclared{fill:#ff9d5c}}";

/// A check, in the order of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) id: String,
    pub(crate) section: String,
}

/// A defect with the checks that it turned red.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DefectRow {
    pub(crate) id: String,
    pub(crate) declared: Vec<String>,
    pub(crate) undeclared: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A separate file, with its colours and its legend.
    File,
    /// A part of a page that supplies the colours and the legend; each square has a title.
    Inline,
}

/// Checks against defects.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    columns: Vec<Column>,
    rows: Vec<DefectRow>,
}

impl DefectRow {
    /// A defect without kills so far.
    pub(crate) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), declared: Vec::new(), undeclared: Vec::new() }
    }
}

impl Picture {
    /// Sorts the rows by the first check that each kills.
    pub(crate) fn new(columns: Vec<Column>, mut rows: Vec<DefectRow>) -> Self {
        let places: BTreeMap<&str, usize> =
            columns.iter().enumerate().map(|(place, column)| (column.id.as_str(), place)).collect();
        let first = |row: &DefectRow| {
            let known = row.declared.iter().chain(&row.undeclared).filter_map(|id| places.get(id.as_str()));
            known.min().copied().unwrap_or(usize::MAX)
        };
        rows.sort_by_cached_key(|row| (first(row), row.id.clone()));
        Self { columns, rows }
    }

    /// How many kills were declared, and how many not.
    pub(crate) fn kills(&self) -> (usize, usize) {
        let sum = |of: fn(&DefectRow) -> &Vec<String>| self.rows.iter().map(|row| of(row).len()).sum();
        (sum(|row| &row.declared), sum(|row| &row.undeclared))
    }

    /// What the picture shows, in words.
    pub(crate) fn title(&self) -> String {
        let (declared, undeclared) = self.kills();
        format!(
            "{} checks × {} seeded defects: {declared} declared kills, {undeclared} undeclared",
            self.columns.len(),
            self.rows.len()
        )
    }

    pub(crate) fn svg(&self, look: Look) -> String {
        let (margin, top) = if look == Look::File { (MARGIN, TOP) } else { (0, 0) };
        let (across, down) = (self.columns.len() * SIDE, self.rows.len() * SIDE);
        let (width, height) = (across + 2 * margin, down + top + margin);
        let title = self.title();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">"
        );
        if look == Look::File {
            let _ = write!(
                svg,
                "<style>{STYLE}</style><rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\
                 <text x=\"{margin}\" y=\"22\">{title}</text>\
                 <rect class=\"declared\" x=\"{margin}\" y=\"34\" width=\"10\" height=\"10\"/><text x=\"{}\" y=\"44\">declared</text>\
                 <rect class=\"undeclared\" x=\"{}\" y=\"34\" width=\"10\" height=\"10\"/><text x=\"{}\" y=\"44\">undeclared</text>",
                margin + 16,
                margin + 96,
                margin + 112,
            );
        }
        self.bands(margin, top, down, &mut svg);
        for (class, of) in [
            ("declared", (|row: &DefectRow| &row.declared) as fn(&DefectRow) -> &Vec<String>),
            ("undeclared", |row: &DefectRow| &row.undeclared),
        ] {
            self.squares(class, of, look, (margin, top), &mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Shades every second section of the interface.
    fn bands(&self, margin: usize, top: usize, down: usize, svg: &mut String) {
        let (mut place, mut second) = (0, false);
        for group in self.columns.chunk_by(|left, right| left.section == right.section) {
            if second {
                let (x, width) = (margin + place * SIDE, group.len() * SIDE);
                let _ = write!(
                    svg,
                    "<rect class=\"band\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{down}\"/>"
                );
            }
            place += group.len();
            second = !second;
        }
    }

    fn squares(
        &self,
        class: &str,
        of: fn(&DefectRow) -> &Vec<String>,
        look: Look,
        (margin, top): (usize, usize),
        svg: &mut String,
    ) {
        let mut path = String::new();
        for (down, row) in self.rows.iter().enumerate() {
            for (across, column) in
                self.columns.iter().enumerate().filter(|(_, column)| of(row).contains(&column.id))
            {
                let (x, y) = (margin + across * SIDE, top + down * SIDE);
                match look {
                    Look::File => _ = write!(path, "M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z"),
                    Look::Inline => {
                        let (check, defect) = (escaped(&column.id), escaped(&row.id));
                        let _ = write!(
                            svg,
                            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\"><title>{defect} kills {check}</title></rect>"
                        );
                    }
                }
            }
        }
        if !path.is_empty() {
            let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kills_stand_where_check_and_defect_meet() {
        let column = |id: &str, section: &str| Column { id: id.to_owned(), section: section.to_owned() };
        let row = |id: &str, declared: &[&str], undeclared: &[&str]| DefectRow {
            id: id.to_owned(),
            declared: declared.iter().map(|id| (*id).to_owned()).collect(),
            undeclared: undeclared.iter().map(|id| (*id).to_owned()).collect(),
        };
        let picture = Picture::new(
            vec![column("a", "one"), column("b", "two"), column("c", "two")],
            vec![row("late", &["c"], &[]), row("early", &["a"], &["b"])],
        );
        assert_eq!(picture.kills(), (2, 1));
        let file = picture.svg(Look::File);
        let at = |across, down| format!("M{} {}h4", MARGIN + across * SIDE, TOP + down * SIDE);
        let declared = file.split("<path class=\"declared\"").nth(1).unwrap().split('>').next().unwrap();
        assert!(declared.contains(&at(0, 0)) && declared.contains(&at(2, 1)), "{file}");
        let undeclared = file.split("<path class=\"undeclared\"").nth(1).unwrap().split('>').next().unwrap();
        assert!(undeclared.contains(&at(1, 0)) && !undeclared.contains(&at(0, 0)), "{file}");
        assert!(picture.svg(Look::Inline).contains("<title>early kills b</title>"));
    }
}
