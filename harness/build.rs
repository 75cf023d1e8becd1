//! Embeds where the implementation cites which clause, and the committed proof, for `slipway explain` and the reports; and the
//! documents. All are read through the links in `embedded`, so that a published package has them inside.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

#[path = "citations.rs"]
mod citations;

fn main() -> io::Result<()> {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("cargo sets CARGO_MANIFEST_DIR"))?;
    let root = Path::new(&manifest).join("embedded");
    let mut table = String::from("&[\n");
    for folder in citations::FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        for path in citations::rust_files(&root.join(folder))? {
            let file = path.strip_prefix(&root).map_err(io::Error::other)?.display().to_string();
            for citation in citations::citations(&fs::read_to_string(&path)?) {
                let _ = writeln!(table, "    ({:?}, {file:?}, {}),", citation.id, citation.line);
            }
        }
    }
    table.push_str("]\n");
    let output = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&output).join("citations.in"), table)?;
    fs::write(Path::new(&output).join("documents.in"), documents(&root)?)?;
    fs::write(Path::new(&output).join("proof.in"), proof(&root.join("proof"))?)
}

/// Name and text of each JSON file of the committed proof; none while there is no proof.
fn proof(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut table = String::from("&[\n");
    if folder.is_dir() {
        let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        for path in entries.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", fs::canonicalize(path)?);
        }
    }
    table.push_str("]\n");
    Ok(table)
}

/// Path and bytes of each document, from the root of the project.
fn documents(root: &Path) -> io::Result<String> {
    let mut table = String::from("&[\n");
    for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", "docs"] {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
        embed(root, &root.join(name), &mut table)?;
    }
    table.push_str("]\n");
    Ok(table)
}

fn embed(root: &Path, path: &Path, table: &mut String) -> io::Result<()> {
    if !path.is_dir() {
        let name = path.strip_prefix(root).map_err(io::Error::other)?.display().to_string();
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", fs::canonicalize(path)?);
        return Ok(());
    }
    let mut inside = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    inside.sort();
    inside.iter().try_for_each(|path| embed(root, path, table))
}
