//! The examples, run as their readers run them, with the libraries that their lockfile names.
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::command;

/// A copy of the examples with what a lockfile names beside them; one test installs, the others wait for it.
fn examples(lockfile: &str, install: impl Fn(&Path)) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{lockfile}"));
    fs::create_dir_all(&folder).unwrap();
    let guard = File::create(folder.with_extension("lock")).unwrap();
    guard.lock().unwrap();
    for entry in fs::read_dir(source).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    // Written last, so that a broken installation is made again.
    let stamp = folder.join("installed");
    let wanted = fs::read(folder.join(lockfile)).unwrap();
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        install(&folder);
        fs::write(&stamp, wanted).unwrap();
    }
    folder
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n--- stdout\n{out}\n--- stderr\n{err}");
    output
}

fn runs(interpreter: &Path, script: &Path) {
    let lines = fs::read_to_string(script).unwrap().lines().count();
    assert!(lines <= 150, "{} has {lines} lines", script.display());
    let mut exec = command(&["exec", "--", interpreter.to_str().unwrap(), script.to_str().unwrap()]);
    let output = succeed(exec.env("SLIPWAY_BIN", env!("CARGO_BIN_EXE_slipway")));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("launched, traded and graduated 0x"), "{said}");
}

fn runs_on_node(script: &str) {
    let folder = examples("package-lock.json", |folder| {
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        succeed(Command::new("npm").args(install).current_dir(folder));
    });
    runs(Path::new("node"), &folder.join(script));
}

#[test]
fn viem_example_runs() {
    runs_on_node("viem.mjs");
}

#[test]
fn ethers_example_runs() {
    runs_on_node("ethers.mjs");
}

#[test]
fn web3_example_runs() {
    let folder = examples("requirements.txt", |folder| {
        succeed(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(folder));
        let install =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"];
        succeed(Command::new(folder.join("venv/bin/python")).args(install).current_dir(folder));
    });
    runs(&folder.join("venv/bin/python"), &folder.join("web3_example.py"));
}
