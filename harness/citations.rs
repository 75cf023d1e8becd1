//! Citations of clauses: lines `Clause: ID[, ID]` in doc comments, found in the sources of the implementation.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders of the implementation, from the root of the workspace.
pub(crate) const FOLDERS: [&str; 4] = ["sim/src", "sim/math/src", "sim/tool-server/src", "contracts/src"];

/// A clause and the item that cites it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Citation {
    /// The clause.
    pub(crate) id: String,
    /// Line of the item, from 1; of the citation itself where a whole module cites.
    pub(crate) line: usize,
}

/// The citations in a source file, in order.
pub(crate) fn citations(source: &str) -> Vec<Citation> {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let (ids, item) = if let Some(ids) = line.strip_prefix("/// Clause: ") {
            let behind =
                lines[index..].iter().position(|line| !line.starts_with("///") && !line.starts_with("#["));
            (ids, index + behind.unwrap_or_default())
        } else if let Some(ids) = line.strip_prefix("//! Clause: ") {
            (ids, index)
        } else {
            continue;
        };
        found.extend(ids.split(',').map(|id| Citation { id: id.trim().to_owned(), line: item + 1 }));
    }
    found
}

/// The Rust files of a folder and of those in it, in order; none when it does not exist.
pub(crate) fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
