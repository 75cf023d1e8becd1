//! The pages of the reference that are made from the program itself, or compared with it.
mod commands;
mod settings;
mod vectors;

use std::path::PathBuf;

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("embedded/docs/reference").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(page(name)).unwrap()
}

/// Holds what stands between the two remarks of this part of a page to the text that was made, or writes it with SLIPWAY_WRITE in the
/// environment.
fn is_current(name: &str, part: &str, made: &str) {
    let text = read(name);
    let (before, rest) = text.split_once(&format!("<!-- {part}: generated")).unwrap();
    let (remark, rest) = rest.split_once("-->\n").unwrap();
    let (_, after) = rest.split_once(&format!("<!-- end of {part} -->")).unwrap();
    let whole = format!("{before}<!-- {part}: generated{remark}-->\n{made}<!-- end of {part} -->{after}");
    if std::env::var_os("SLIPWAY_WRITE").is_some() {
        std::fs::write(page(name), &whole).unwrap();
    }
    assert!(read(name) == whole, "docs/reference/{name} is stale: run its test with SLIPWAY_WRITE=1");
}

/// A text inside a cell of a table.
fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}
