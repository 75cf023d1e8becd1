//! Embeds where the implementation cites which clause, for `slipway explain`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

#[path = "citations.rs"]
mod citations;

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
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
    fs::write(Path::new(&output).join("citations.in"), table)
}
