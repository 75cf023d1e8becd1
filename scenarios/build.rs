//! Hashes the sources of this crate, so that a proof names the sources that it was made with.
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest as _, Sha256};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let text = fs::read(&file)?;
        hash.update(format!("{}\0{}\0", file.display(), text.len()));
        hash.update(text);
    }
    println!("cargo::rustc-env=SOURCES={:x}", hash.finalize());
    Ok(())
}

/// The sources and the tables of a folder and of the folders in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            files.push(path);
        }
    }
    Ok(())
}
