//! Tests of the source tree itself: which rooms may know which, and what must not stand in any file.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member lies in the workspace").to_path_buf()
}

/// The crates of this workspace that `package` depends on, itself included, by any number of steps.
fn rooms_below(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            package,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--offline",
            "--locked",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with("slipway")).map(str::to_owned).collect()
}

fn rooms(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn crate_dependencies_are_allowed() {
    assert_eq!(rooms_below("slipway-contracts"), rooms(&["slipway-contracts"]));
    assert_eq!(rooms_below("slipway-sim"), rooms(&["slipway-contracts", "slipway-sim"]));
    assert_eq!(rooms_below("slipway-tool-server"), rooms(&["slipway-contracts", "slipway-tool-server"]));
    assert_eq!(rooms_below("slipway-scenarios"), rooms(&["slipway-contracts", "slipway-scenarios"]));
}

/// The control of the test above: the same command does see an edge that is there.
#[test]
fn crate_dependency_test_can_fail() {
    assert_eq!(
        rooms_below("slipway"),
        rooms(&["slipway", "slipway-contracts", "slipway-scenarios", "slipway-sim", "slipway-tool-server"])
    );
}

fn tracked_files() -> Vec<PathBuf> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "the tree is read from a git checkout");
    let text = String::from_utf8(output.stdout).unwrap();
    let files: Vec<PathBuf> =
        text.split('\0').filter(|name| !name.is_empty()).map(|name| root().join(name)).collect();
    assert!(!files.is_empty());
    files.into_iter().filter(|path| path.is_file()).collect()
}

fn sources(extension: &str) -> Vec<(PathBuf, String)> {
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
    const MOST: usize = 700;
    for (path, text) in sources("rs").into_iter().chain(sources("sol")) {
        let lines = text.lines().count();
        assert!(lines <= MOST, "{} has {lines} lines; split it by what it does", path.display());
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

/// The words are written in parts so that the list does not find itself.
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

/// Names of tests stand in back quotes and have underscores; files do too, and have a dot.
#[test]
fn architecture_names_existing_tests() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let code: String = sources("rs").into_iter().map(|(_, text)| text).collect();
    let named: Vec<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('_') && !name.contains(['.', '/']))
        .collect();
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        assert!(code.contains(&format!("fn {name}(")), "no test is named {name}");
    }
}

/// The first command of the README names no package and no binary.
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
