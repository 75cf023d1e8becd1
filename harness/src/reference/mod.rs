//! The pages of the reference that are generated from the program itself, or compared with it.
mod calls;
mod commands;
mod errors;
pub(crate) mod golden;
mod market;
mod play;
mod settings;
mod vectors;

use std::path::PathBuf;

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(page(name)).unwrap()
}

fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}
