//! Why a seeded defect turns checks red of clauses that it does not name.

/// Defects, checks and why; `*` at the end of an id stands for every one that begins so.
const TABLE: &[(&str, &str, &str)] = &[];

/// Why this defect may turn this check red although it does not name its clause; none where nobody knows.
pub(crate) fn reason(defect: &str, check: &str) -> Option<&'static str> {
    let fits =
        |wanted: &str, id: &str| wanted.strip_suffix('*').map_or(wanted == id, |start| id.starts_with(start));
    let known = TABLE.iter().find(|(defects, checks, _)| fits(defects, defect) && fits(checks, check));
    known.map(|(.., reason)| *reason)
}
