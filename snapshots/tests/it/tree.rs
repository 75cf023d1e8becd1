//! Tests of the source tree itself: permitted dependencies between crates, and content that no file may have.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use ignore::WalkBuilder;

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member lies in the workspace").to_path_buf()
}

/// The packages that `cargo tree` lists with these options, one per line.
fn cargo_tree(options: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--prefix", "none", "--offline", "--locked"])
        .args(options)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The crates of this workspace that `package` depends on, directly or indirectly, itself included.
fn crates_below(package: &str) -> BTreeSet<String> {
    let text = cargo_tree(&["--package", package, "--edges", "normal,build"]);
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with("slipway")).map(str::to_owned).collect()
}

/// Packages with their features, for the program as `cargo run` builds it, or for everything that tests build.
fn features(options: &[&str]) -> BTreeSet<String> {
    let text = cargo_tree(&[options, &["--format", "{p} [{f}]"]].concat());
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn run_and_test_compile_the_same_packages() {
    let run = features(&["--package", "slipway-cli", "--edges", "normal,build"]);
    let test = features(&["--workspace", "--edges", "normal,build,dev"]);
    let again: Vec<&String> = run.difference(&test).collect();
    assert!(
        again.is_empty(),
        "`cargo test --workspace` compiles these again with more features; give them to harness/features/Cargo.toml: {again:#?}"
    );
}

fn crates(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn crate_dependencies_are_allowed() {
    assert_eq!(crates_below("slipway-contracts"), crates(&["slipway-contracts"]));
    assert_eq!(crates_below("slipway-math"), crates(&["slipway-math"]));
    assert_eq!(crates_below("slipway-sim"), crates(&["slipway-contracts", "slipway-math", "slipway-sim"]));
    assert_eq!(crates_below("slipway-redaction"), crates(&["slipway-redaction"]));
    assert_eq!(
        crates_below("slipway-tool-server"),
        crates(&["slipway-contracts", "slipway-redaction", "slipway-tool-server"])
    );
    assert_eq!(crates_below("slipway-scenarios"), crates(&["slipway-contracts", "slipway-scenarios"]));
    assert_eq!(crates_below("slipway-defects"), crates(&["slipway-contracts", "slipway-defects"]));
}

/// The control of the test above: the same command finds an existing edge.
#[test]
fn crate_dependency_test_can_fail() {
    assert_eq!(
        crates_below("slipway-cli"),
        crates(&[
            "slipway-cli",
            "slipway-contracts",
            "slipway-defects",
            "slipway-features",
            "slipway-math",
            "slipway-redaction",
            "slipway-scenarios",
            "slipway-sim",
            "slipway-tool-server"
        ])
    );
}

/// The files of the tree that git does not ignore; this also works in an unpacked archive without git.
pub(super) fn tracked_files() -> Vec<PathBuf> {
    let walk = WalkBuilder::new(root())
        .hidden(false)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let paths = walk.map(|entry| entry.unwrap().into_path());
    let files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    assert!(files.contains(&root().join("Cargo.toml")));
    files
}

pub(super) fn sources(extension: &str) -> Vec<(PathBuf, String)> {
    let ours =
        tracked_files().into_iter().filter(|path| path.extension().is_some_and(|ending| ending == extension));
    ours.map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn modules_start_with_docs() {
    for (path, text) in sources("rs") {
        assert!(text.starts_with("//! "), "{} does not open with `//!`", path.display());
    }
}

#[test]
fn files_stay_within_500_lines() {
    const MOST: usize = 500;
    for (path, text) in sources("rs").into_iter().chain(sources("sol")) {
        let lines = text.lines().count();
        assert!(lines <= MOST, "{} has {lines} lines; split it by purpose", path.display());
    }
}

#[test]
fn lockfiles_have_no_download_urls() {
    let locks: Vec<PathBuf> =
        tracked_files().into_iter().filter(|path| path.ends_with("package-lock.json")).collect();
    assert!(!locks.is_empty());
    for path in locks {
        assert!(!std::fs::read_to_string(&path).unwrap().contains("\"resolved\""), "{}", path.display());
    }
}

/// The files below a folder that contain a word, in any letter case.
fn files_with(word: &str, folder: &str) -> Vec<PathBuf> {
    let below = root().join(folder);
    let contains = |path: &PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).to_lowercase();
        path.to_string_lossy().to_lowercase().contains(word) || text.contains(word)
    };
    tracked_files().into_iter().filter(|path| path.starts_with(&below) && contains(path)).collect()
}

/// The platform and the tool server contain no seeded fault, no switch and no hook for one.
#[test]
fn the_platform_knows_no_defects() {
    assert_eq!(files_with("defect", "sim"), Vec::<PathBuf>::new());
}

/// The control of the test above: the same search finds the word where it occurs.
#[test]
fn the_search_for_defects_can_find() {
    let found = files_with("defect", "harness/defects");
    assert!(found.len() > 20, "{found:?}");
}

/// The words are split into parts so that the list does not match itself.
#[test]
fn no_unfinished_code_or_sleeps() {
    let unfinished = [["to", "do!("], ["unimplemen", "ted!("], ["TO", "DO"], ["FIX", "ME"], ["#[ign", "ore"]]
        .map(|parts| parts.concat());
    for (path, text) in sources("rs").into_iter().chain(sources("sol")) {
        for word in &unfinished {
            assert!(!text.contains(word.as_str()), "{} contains {word}", path.display());
        }
    }
    let asleep = ["sle", "ep("].concat();
    for (path, text) in
        sources("rs").into_iter().filter(|(path, _)| path.starts_with(root().join("scenarios")))
    {
        assert!(!text.contains(&asleep), "{} sleeps", path.display());
    }
}

/// Names of tests are in back quotes; names with a dot or a slash are files, and names with a hyphen are checks.
#[test]
fn architecture_names_existing_tests() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, invariants) = page.split_once("\n## Invariants\n").expect("the page has a section of invariants");
    let invariants = invariants.split("\n## ").next().unwrap();
    let code: String = sources("rs").into_iter().map(|(_, text)| text).collect();
    let rows = invariants.lines().filter(|line| line.starts_with("| ") && *line != "| invariant | tests |");
    let mut checked = 0;
    for row in rows {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test holds {row}");
        for name in names {
            let exists = if name.contains(['.', '/']) {
                root().join(name).is_file()
            } else if name.contains('-') {
                code.contains(&format!("\"{name}\""))
            } else {
                code.contains(&format!("fn {name}("))
            };
            assert!(exists, "there is no {name}, named by {row}");
            checked += 1;
        }
    }
    assert_eq!(checked, invariants.matches('`').count() / 2, "every name is in a row");
    assert_ne!(checked, 0);
}

/// The README's first command names neither a package nor a binary.
#[test]
fn cargo_run_starts_slipway() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let chosen = metadata["workspace_default_members"].as_array().unwrap();
    let programs: Vec<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| chosen.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().unwrap())
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(programs, ["slipway"]);
}
