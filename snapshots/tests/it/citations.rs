//! Citations of clauses: lines `Clause: ID[, ID]` in doc comments of the implementation.
use std::collections::BTreeSet;
use std::path::PathBuf;

use super::tree::{root, sources};

/// Folders of the implementation.
const FOLDERS: [&str; 4] = ["sim/src", "sim/math/src", "sim/tool-server/src", "contracts/src"];

/// The clauses that a source file cites.
fn citations(source: &str) -> impl Iterator<Item = &str> {
    let lines = source.lines().map(str::trim_start);
    let cited = lines
        .filter_map(|line| line.strip_prefix("/// Clause: ").or_else(|| line.strip_prefix("//! Clause: ")));
    cited.flat_map(|ids| ids.split(',').map(str::trim))
}

/// Every citation in the implementation, with its file.
fn cited() -> Vec<(PathBuf, String)> {
    let is_ours = |path: &PathBuf| FOLDERS.iter().any(|folder| path.starts_with(root().join(folder)));
    let files = sources("rs").into_iter().filter(|(path, _)| is_ours(path));
    let cited = files.flat_map(|(path, source)| {
        citations(&source).map(|id| (path.clone(), id.to_owned())).collect::<Vec<_>>()
    });
    cited.collect()
}

#[test]
fn every_clause_is_cited_by_its_implementation() {
    let cited: BTreeSet<String> = cited().into_iter().map(|(_, id)| id).collect();
    for clause in slipway_scenarios::clauses() {
        assert!(cited.contains(clause.id), "nothing in sim/ or contracts/ cites {}", clause.id);
    }
}

#[test]
fn every_citation_names_a_clause() {
    for (path, id) in cited() {
        assert!(slipway_scenarios::clause(&id).is_some(), "{} cites {id}", path.display());
    }
}

/// The control of the tests above: citations are found, and nothing else is.
#[test]
fn citations_are_found_in_doc_comments_only() {
    let source = "//! Clause: A-ONE\n\n/// Text.\n///\n/// Clause: B-TWO, C-THREE\n#[must_use]\nfn item() {}\n// Clause: D-FOUR\n";
    assert_eq!(citations(source).collect::<Vec<_>>(), ["A-ONE", "B-TWO", "C-THREE"]);
    assert!(slipway_scenarios::clause("A-ONE").is_none());
}
