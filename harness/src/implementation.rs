//! Where the implementation of this workspace cites a clause.

/// Clause, file from the root of the workspace, and line; made by the build script.
static CITATIONS: &[(&str, &str, u32)] = include!(concat!(env!("OUT_DIR"), "/citations.in"));

/// File and line of every item that implements a clause.
pub(crate) fn of_clause(id: &str) -> impl Iterator<Item = (&'static str, u32)> {
    CITATIONS.iter().filter(move |(cited, ..)| *cited == id).map(|&(_, file, line)| (file, line))
}

#[cfg(test)]
mod tests {
    use super::of_clause;

    #[test]
    fn clauses_lead_to_their_implementation() {
        let trending: Vec<_> = of_clause("LIST-SORT-TRENDING").collect();
        assert!(matches!(trending[..], [("sim/src/api/tokens/list.rs", 1..)]), "{trending:?}");
        assert_eq!(of_clause("LIST-SORT-NOTHING").count(), 0);
    }
}
