//! Embeds the committed artifacts, so that an installed program carries them; the folder's files decide which.
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let root =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for build scripts"));
    let artifacts = root.join("artifacts");
    println!("cargo::rerun-if-changed={}", artifacts.display());
    let mut code = format!("pub(super) const SOUND: &[(&str, &str)] = &[{}];\n", entries(&artifacts));
    let _ =
        writeln!(code, "pub(super) const ABIS: &[(&str, &str)] = &[{}];", entries(&artifacts.join("abi")));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    fs::write(out.join("embedded.rs"), code).expect("the output folder of a build script can be written");
}

/// `(contract name, text of its artifact)` for every artifact in a folder.
fn entries(directory: &Path) -> String {
    let is_artifact = |path: &PathBuf| {
        let is_contract = !["manifest", "storage"].contains(&stem(path).as_str());
        path.extension().is_some_and(|ending| ending == "json") && is_contract
    };
    listed(directory).iter().filter(|path| is_artifact(path)).fold(String::new(), |mut text, path| {
        let _ = write!(text, "({:?}, include_str!({:?})),", stem(path), path.display().to_string());
        text
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a listed path has a name").to_string_lossy().into_owned()
}

fn listed(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}
