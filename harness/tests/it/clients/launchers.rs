//! The launchers: their suites pass, and nothing outlives its runner.
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use slipway_test_support::{Tool, need, need_browser, node, node_path};

use crate::clients::documents::blocks;
use crate::clients::tools::{SLIPWAY, compiles, npm_folder, python, root, slipway, source, succeed};
use crate::program::{ends, lives};

#[test]
fn clients_page_names_every_call_of_the_control_plane() {
    let document: Value = serde_json::from_str(&slipway(&["show", "openapi", "control"])).unwrap();
    let page = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let methods =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    for name in methods.map(|operation| operation["operationId"].as_str().unwrap()) {
        assert!(page.contains(&format!("`{name}`")) || name == "getOpenApi", "docs/clients.md lacks {name}");
    }
}

/// A copy of `sim/example` has no workspace to take versions from: the manifest on the page has the same dependencies, with those versions.
#[test]
fn the_manifest_on_the_page_builds_a_copy_of_the_example() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let page = blocks(&read("docs/clients.md"));
    let shown = page.iter().find(|block| block.is("toml") && block.text.contains("slipway-sim")).unwrap();
    let [shown, example, workspace] =
        [shown.text.clone(), read("sim/example/Cargo.toml"), read("Cargo.toml")]
            .map(|text| text.parse::<toml::Table>().unwrap());
    assert_eq!(shown["package"]["name"], example["package"]["name"], "its tests import it by this name");
    assert_eq!(shown["package"]["edition"], workspace["workspace"]["package"]["edition"]);
    let version = |entry: &toml::Value| entry.get("version").unwrap_or(entry).as_str().map(str::to_owned);
    for section in ["dependencies", "dev-dependencies"] {
        let [of_page, of_example] = [&shown, &example].map(|manifest| manifest[section].as_table().unwrap());
        assert_eq!(of_page.keys().collect::<BTreeSet<_>>(), of_example.keys().collect(), "{section}");
        for (name, entry) in of_page.iter().filter(|(name, _)| *name != "slipway-sim") {
            assert_eq!(version(entry), version(&workspace["workspace"]["dependencies"][name]), "{name}");
        }
    }
    assert!(shown["dev-dependencies"]["slipway-sim"]["path"].as_str().unwrap().ends_with("/sim"));
}

/// Runs a suite; the caller checks the lines in which the runner reports how many tests passed.
fn suite(command: &mut Command) -> String {
    let output = succeed(command.env("NO_COLOR", "1").env("CI", "1"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn vitest_suite_of_twenty_launches_passes_on_a_platform_for_each_worker() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let said = suite(Command::new("npx").args(["vitest", "run"]).current_dir(&folder));
    assert!(said.contains("20 passed"), "{said}");
}

#[test]
fn vitest_global_setup_starts_a_platform_for_the_run() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let said = suite(
        Command::new("npx")
            .args(["vitest", "run", "--config", "test/setup.config.ts", "--root", "."])
            .current_dir(&folder),
    );
    assert!(said.contains("1 passed"), "{said}");
}

/// A suite used as many platforms as it has workers, and all ended with it.
fn ended(platforms: &Path, workers: usize) {
    let lines = fs::read_to_string(platforms).unwrap();
    let pids: BTreeSet<u64> = lines.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(pids.len(), workers);
    pids.into_iter().for_each(ends);
}

#[test]
fn jest_suite_passes_on_a_platform_for_each_worker_and_leaves_none() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    for workers in [1, 2] {
        // Without a cache jest does not know that the two files are fast, and gives each its own worker.
        let kept = tempfile::tempdir().unwrap();
        let platforms = kept.path().join("platforms");
        let mut jest = Command::new("npx");
        jest.args(["jest", "--config", "test/jest/jest.config.json", &format!("--maxWorkers={workers}")]);
        jest.arg("--cacheDirectory").arg(kept.path()).env("PLATFORMS", &platforms).current_dir(&folder);
        let said = String::from_utf8(succeed(&mut jest).stderr).unwrap();
        assert!(said.contains("2 skipped, 18 passed, 20 total"), "{said}");
        ended(&platforms, workers);
    }
}

/// Runs one file of the Playwright suite.
fn playwright(file: &str, results: &Path) -> Command {
    let mut command = Command::new("npx");
    command.args(["playwright", "test", "--config", "test/playwright", file, "--output"]).arg(results);
    command.current_dir(npm_folder("launchers/npm"));
    command
}

#[test]
fn playwright_suite_of_ten_launches_passes_on_a_platform_for_each_worker_and_leaves_none() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let kept = tempfile::tempdir().unwrap();
    let platforms = kept.path().join("platforms");
    let said = suite(playwright("api", &kept.path().join("results")).env("PLATFORMS", &platforms));
    assert!(said.contains("10 passed"), "{said}");
    ended(&platforms, 2);
}

#[tokio::test]
async fn playwright_opens_pages_of_its_platform() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let Some(chromium) = need_browser().await else { return };
    let results = tempfile::tempdir().unwrap();
    let mut command = playwright("page", results.path());
    command.envs(chromium.variables.iter().map(|(name, value)| (name, value)));
    let said = suite(command.env("CHROMIUM", &chromium.program));
    assert!(said.contains("2 passed"), "{said}");
}

#[test]
fn prool_pool_starts_platforms() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    succeed(Command::new("node").arg("test/pool.mjs").current_dir(&folder));
}

#[test]
fn types_of_the_npm_package_hold() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let quotes = source("../sim/quotes/npm/index.d.ts");
    let files = [
        "test/one.test.ts",
        "test/setup.check.ts",
        "test/jest/types.check.ts",
        "test/playwright/api.spec.ts",
        "test/playwright/page.spec.ts",
        "test/playwright/playwright.config.ts",
        "prool.d.ts",
        "testcontainers.d.ts",
        "vitest.d.ts",
        quotes.to_str().unwrap(),
    ];
    compiles(&folder, "nodenext", &[&["--noEmit", "--types", "node"], &files[..]].concat());
}

#[test]
fn pytest_suite_of_twenty_launches_passes_on_a_platform_for_each_worker() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("launchers/python/requirements.txt");
    let folder = python.ancestors().nth(3).unwrap();
    let said = suite(
        Command::new(&python)
            .args(["-m", "pytest", "-q", "-p", "slipway_launcher.plugin", "-n", "2", "tests"])
            .env("PYTHONPATH", folder)
            .current_dir(folder),
    );
    assert!(said.contains("24 passed"), "{said}");
}

/// The runner reports the platform's process and is killed; the platform ends too.
fn leaves_nothing(command: &mut Command) {
    let mut runner = command.env("SLIPWAY_BIN", SLIPWAY).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(runner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid: u64 = line.trim().parse().unwrap();
    assert!(lives(pid));
    runner.kill().unwrap();
    runner.wait().unwrap();
    ends(pid);
}

#[test]
fn no_platform_outlives_a_killed_runner() {
    let Some(()) = need(&[Tool::Node, Tool::Python]) else { return };
    let folder = npm_folder("launchers/npm");
    let script = "import { start } from './index.js'\nconsole.log((await start()).ready.pid)\nsetInterval(() => {}, 1000)\n";
    leaves_nothing(node("node").args(["--input-type=module", "-e", script]).current_dir(&folder));
    let script = "import time, slipway_launcher\np = slipway_launcher.start()\nprint(p.ready['pid'], flush=True)\ntime.sleep(600)\n";
    let path = source("launchers/python");
    leaves_nothing(Command::new("python3").args(["-c", script]).env("PYTHONPATH", path));
}

/// A program that writes this and ends with its input.
fn program_that_says(text: &str, folder: &Path) -> PathBuf {
    let program = folder.join("slipway");
    fs::write(&program, format!("#!/bin/sh\nprintf '%s' '{text}'\ncat >/dev/null\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Both launchers end with a sentence that has each of these, if this is what the program writes.
fn launchers_refuse(text: &str, causes: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let program = program_that_says(text, folder.path());
    let inherited = node_path();
    let path = [folder.path().to_owned()].into_iter().chain(std::env::split_paths(&inherited));
    let path = std::env::join_paths(path).unwrap();
    let refuses = |command: &mut Command| {
        // An empty variable, as a job may set it, names no program.
        for named in [program.as_os_str(), "".as_ref()] {
            let command = command.env("SLIPWAY_BIN", named).env("PATH", &path);
            let output = command.stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && causes.iter().all(|cause| said.contains(cause)), "{said}");
        }
    };
    let script = "import { start } from './index.js'\nawait start()\n";
    let npm = source("launchers/npm");
    refuses(node("node").args(["--input-type=module", "-e", script]).current_dir(npm));
    let script = "import slipway_launcher\nslipway_launcher.start()\n";
    refuses(Command::new("python3").args(["-c", script]).env("PYTHONPATH", source("launchers/python")));
}

#[test]
fn launchers_refuse_a_protocol_that_they_do_not_know() {
    let Some(()) = need(&[Tool::Node, Tool::Python]) else { return };
    let line = r#"{"protocol":2,"pid":1,"seed":1,"baseUrl":"a","swapBaseUrl":"b","controlUrl":"http://c","operatorKey":"d","chains":[],"accounts":[]}"#;
    launchers_refuse(&format!("{line}\n"), &["protocol 2, this launcher 1"]);
}

/// JavaScript takes any member of an object; Python refuses such an argument itself.
#[test]
fn the_npm_launcher_refuses_an_option_that_it_does_not_have() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let script = "import { start } from './index.js'\nawait start({ sed: 7 })\n";
    let mut command = node("node");
    command.args(["--input-type=module", "-e", script]).current_dir(source("launchers/npm"));
    let output = command.env("SLIPWAY_BIN", SLIPWAY).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("no option sed; it has binary, image, seed"), "{said}");
}

#[test]
fn launchers_name_a_program_that_is_not_slipway() {
    let Some(()) = need(&[Tool::Node, Tool::Python]) else { return };
    launchers_refuse("usage: slipway\n", &["usage: slipway", "no ready line", "SLIPWAY_BIN"]);
}

/// The code samples in a language in a launcher's README.
fn samples(launcher: &str, language: &str) -> Vec<String> {
    let readme = fs::read_to_string(source("launchers").join(launcher).join("README.md")).unwrap();
    let begin = format!("```{language}\n");
    let blocks = readme.split(&begin).skip(1);
    let samples: Vec<String> = blocks.map(|rest| rest.split("```").next().unwrap().to_owned()).collect();
    assert!(
        !samples.is_empty()
            && samples.iter().all(|sample| sample.contains("assert") || sample.contains("expect("))
    );
    samples
}

#[test]
fn samples_of_the_npm_launcher_run_as_printed() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let samples = samples("npm", "ts");
    // Next to the suite, because its runner searches another folder.
    fs::create_dir_all(folder.join("readme")).unwrap();
    for (place, sample) in samples.iter().enumerate() {
        fs::write(folder.join(format!("readme/{place}.test.ts")), sample).unwrap();
    }
    let config = "export default { test: { include: ['readme/*.test.ts'] } }\n";
    fs::write(folder.join("readme/vitest.config.ts"), config).unwrap();
    let run = ["vitest", "run", "--config", "readme/vitest.config.ts", "--root", "."];
    let said = suite(Command::new("npx").args(run).current_dir(&folder));
    assert!(said.contains(&format!("{} passed", samples.len())), "{said}");
}

#[test]
fn samples_of_the_python_launcher_run_as_printed() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("launchers/python/requirements.txt");
    let folder = tempfile::tempdir().unwrap();
    let samples = samples("python", "python");
    for (place, sample) in samples.iter().enumerate() {
        fs::write(folder.path().join(format!("test_readme_{place}.py")), sample).unwrap();
    }
    let said = suite(
        Command::new(&python)
            .args(["-m", "pytest", "-q", "-p", "slipway_launcher.plugin"])
            .env("PYTHONPATH", source("launchers/python"))
            .current_dir(folder.path()),
    );
    assert!(said.contains(&format!("{} passed", samples.len())), "{said}");
}

/// The runner of a sample, chosen by its file name, and its output for one passing test.
fn runner(name: &str) -> (Command, &'static str) {
    let npx = |arguments: &[&str]| {
        let mut command = node("npx");
        command.args(arguments);
        command
    };
    match name {
        _ if name.ends_with(".test.ts") => (npx(&["vitest", "run", "--testTimeout", "60000"]), "1 passed"),
        _ if name.ends_with(".test.js") => (npx(&["jest", "--testTimeout", "60000"]), "1 passed, 1 total"),
        _ if name.ends_with(".spec.ts") => (npx(&["playwright", "test", "--timeout", "60000"]), "1 passed"),
        _ if name.ends_with(".py") => {
            let mut command = Command::new(python("launchers/python/requirements.txt"));
            command.args(["-m", "pytest", "-q", "-p", "slipway_launcher.plugin"]);
            command.env("PYTHONPATH", source("launchers/python"));
            (command, "1 passed")
        }
        _ => panic!("no runner is known for {name}"),
    }
}

/// The samples that name their file.
#[test]
fn samples_of_the_page_of_clients_run_as_printed() {
    let Some(()) = need(&[Tool::Node, Tool::Python, Tool::Venv]) else { return };
    let folder = npm_folder("launchers/npm");
    let page = blocks(&fs::read_to_string(root().join("docs/clients.md")).unwrap());
    let files: Vec<_> = page.iter().filter_map(|block| Some((block.file()?, &block.text))).collect();
    // The packages of the runners are in the folder above, and a copy of the launcher is installed.
    let inside = tempfile::Builder::new().prefix("page-").tempdir_in(&folder).unwrap();
    let installed = inside.path().join("node_modules/slipway-launcher");
    fs::create_dir_all(&installed).unwrap();
    for entry in fs::read_dir(source("launchers/npm")).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), installed.join(entry.file_name())).unwrap();
        }
    }
    for (name, text) in &files {
        fs::write(inside.path().join(name), text).unwrap();
    }
    let tests: Vec<&str> =
        files.iter().map(|(name, _)| *name).filter(|name| !name.contains(".config.")).collect();
    assert_eq!(tests.len(), 4, "{tests:?}");
    for name in tests {
        let (mut command, passed) = runner(name);
        let output =
            succeed(command.arg(name).env("NO_COLOR", "1").env("CI", "1").current_dir(inside.path()));
        let said =
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
        assert!(said.contains(passed), "{name}: {said}");
    }
}
