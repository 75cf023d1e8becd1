//! Embeds the committed proof, for `slipway explain` and the reports; read through a link in `embedded`, so that a published package has it.
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("cargo sets CARGO_MANIFEST_DIR"))?;
    let output = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&output).join("proof.in"), proof(&Path::new(&manifest).join("embedded/proof"))?)
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
